"""What does this document say, and where does it point?"""
