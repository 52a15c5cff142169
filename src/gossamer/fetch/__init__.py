"""What did the server say?"""
