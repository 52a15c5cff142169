"""What is learned of hosts: traps, equivalences, mirrors, soft 404."""
