"""The invented pay-later shop: its schema, its data, and the application that checks out."""
