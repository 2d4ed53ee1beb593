import asyncio

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

set_tracing_disabled(True)


@function_tool
def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    return f"21 °C in {city}"


def agent(kind):
    # Each call runs in its own event loop, and a connection belongs to one loop.
    client = AsyncOpenAI(base_url=BASE_URL + "/v1", api_key=API_KEY, default_headers=HEADERS)
    return Agent(name="test", instructions="Help.", model=kind("gpt-4o", client), tools=[get_weather])


def call_plain():
    return Runner.run_sync(agent(OpenAIResponsesModel), HELLO).final_output


def call_chat():
    return Runner.run_sync(agent(OpenAIChatCompletionsModel), HELLO).final_output


def call_tool():
    return Runner.run_sync(agent(OpenAIResponsesModel), WEATHER).final_output


def call_chat_tool():
    return Runner.run_sync(agent(OpenAIChatCompletionsModel), WEATHER).final_output


def call_stream():
    async def ask():
        result = Runner.run_streamed(agent(OpenAIResponsesModel), HELLO)
        return [[event.type async for event in result.stream_events()], result.final_output]

    return asyncio.run(ask())
