"""Many ranks on many machines: who is late, who stands still, who has gone."""
