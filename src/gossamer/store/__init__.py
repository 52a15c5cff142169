"""What did we fetch, when, and what linked to what?"""
