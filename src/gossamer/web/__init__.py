"""What is this URL, host, robots rule?"""
