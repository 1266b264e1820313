"""What itermon knows of runs as metrics: an exporter for Prometheus, and the rules and charts that read them."""
