"""A generation in the stream formats of the field: events in, chunks of another API out. Sans-I/O.

An adapter is fed the events of one generation and gives the chunks that each makes; ``close`` gives the last::

    chunks = ChatChunks(model="my-model")
    for event in events:
        for chunk in chunks.feed(event):
            send(openai.sse(chunk))
    for chunk in chunks.close():
        send(openai.sse(chunk))
    send(openai.DONE)

``toolconv.adapters.openai`` writes OpenAI chat completions, ``toolconv.adapters.anthropic`` Anthropic messages.
"""
