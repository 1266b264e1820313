"""What comes: what the trainer does now, what returns when, and the ETA; losses."""
