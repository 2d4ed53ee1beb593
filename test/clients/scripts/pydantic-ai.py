import asyncio

import httpx
from pydantic_ai import Agent

BASE = BASE_URL + os.environ["BASE_PATH"]
NAME = os.environ["MODEL"]


def model():
    client = httpx.AsyncClient(headers=HEADERS, timeout=60)
    if NAME.startswith("gpt"):
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        return OpenAIChatModel(NAME, provider=OpenAIProvider(base_url=BASE, api_key=API_KEY, http_client=client))
    if NAME.startswith("claude"):
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        own = AsyncAnthropic(base_url=BASE, api_key=API_KEY, default_headers=HEADERS)
        return AnthropicModel(NAME, provider=AnthropicProvider(anthropic_client=own))
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(NAME, provider=GoogleProvider(base_url=BASE, api_key=API_KEY, http_client=client))


def agent():
    made = Agent(model(), model_settings={"max_tokens": 200})

    @made.tool_plain
    def get_weather(city: str) -> str:
        return f"21 °C in {city}"

    return made


def call_plain():
    return agent().run_sync(HELLO).output


def call_tool():
    return agent().run_sync(WEATHER).output


def call_stream():
    async def ask():
        async with agent().run_stream(HELLO) as result:
            return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]

    return asyncio.run(ask())
