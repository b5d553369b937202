"""Lark grammars of the call syntaxes that are languages of their own."""
