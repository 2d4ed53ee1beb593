from google import genai
from google.genai import types

# The mock only supports this version. The pages are run with the client's default.
client = genai.Client(
    api_key=API_KEY,
    http_options=types.HttpOptions(base_url=BASE_URL, headers=HEADERS, api_version="v1beta"),
)
MODEL = "gemini-2.0-flash"
WEATHER_TOOL = types.FunctionDeclaration(
    name="get_weather",
    parameters=types.Schema(type="OBJECT", properties={"city": types.Schema(type="STRING")}),
)
LIMITED = types.GenerateContentConfig(max_output_tokens=200)
WITH_TOOLS = types.GenerateContentConfig(
    max_output_tokens=200,
    tools=[types.Tool(function_declarations=[WEATHER_TOOL])],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)


def read(answer):
    told = answer.model_dump(mode="json", include={"candidates", "usage_metadata", "model_version"})
    return [answer.text if not answer.function_calls else None, told]


def call_plain():
    return read(client.models.generate_content(model=MODEL, contents=HELLO, config=LIMITED))


def call_stream():
    stream = client.models.generate_content_stream(model=MODEL, contents=HELLO, config=LIMITED)
    return [read(chunk) for chunk in stream]


def call_tool():
    return read(client.models.generate_content(model=MODEL, contents=WEATHER, config=WITH_TOOLS))


def call_tool_stream():
    stream = client.models.generate_content_stream(model=MODEL, contents=WEATHER, config=WITH_TOOLS)
    return [read(chunk) for chunk in stream]


def call_async_stream():
    import asyncio

    async def ask():
        stream = await client.aio.models.generate_content_stream(model=MODEL, contents=HELLO, config=LIMITED)
        return [read(chunk) async for chunk in stream]

    return asyncio.run(ask())
