from openai import OpenAI

client = OpenAI(base_url=BASE_URL + "/v1", api_key=API_KEY, default_headers=HEADERS, max_retries=2)
globals().update(chat_calls(client, "gpt-4o"))


def call_tool_result():
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "get_weather", "arguments": '{"city":"Zürich"}'},
    }
    messages = [
        {"role": "user", "content": WEATHER},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "21 °C"},
    ]
    return client.chat.completions.create(model="gpt-4o", messages=messages, tools=TOOLS).model_dump()


def call_embedding():
    return client.embeddings.create(model="text-embedding-3-small", input=[HELLO]).model_dump()


def call_models():
    return [model.id for model in client.models.list()]


def call_response():
    return client.responses.create(model="gpt-4o", input=HELLO, max_output_tokens=200).model_dump()


def call_response_stream():
    stream = client.responses.create(model="gpt-4o", input=HELLO, max_output_tokens=200, stream=True)
    return [event.model_dump() for event in stream]
