"""What is being asked?"""
