"""Call syntaxes, framings and reasoning: what dialects are put together from, scan and render side by side."""
