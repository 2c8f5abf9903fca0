"""What derivative code needs while it runs."""
