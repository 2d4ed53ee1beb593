import asyncio

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


def ask(question):
    """Whatever is asked, in a session of its own."""

    async def run():
        headers = {"Authorization": "Bearer " + API_KEY}
        async with streamablehttp_client(BASE_URL, headers=headers) as (read, write, _):
            async with ClientSession(read, write) as session:
                began = await session.initialize()
                # Otherwise each `async with` wraps the error in a group.
                try:
                    return await question(session, began)
                except Exception as error:
                    return error

    answer = asyncio.run(run())
    if isinstance(answer, Exception):
        raise answer
    return answer


def call_initialize():
    async def question(_, began):
        return began.serverInfo.name

    return ask(question)


def call_list():
    async def question(session, _):
        return [tool.name for tool in (await session.list_tools()).tools]

    return ask(question)


def call_call():
    async def question(session, _):
        return [part.model_dump(include={"type", "text"}) for part in (await session.call_tool("echo", {"text": HELLO})).content]

    return ask(question)


def call_denied():
    async def question(session, _):
        return (await session.call_tool("say", {})).content

    return ask(question)
