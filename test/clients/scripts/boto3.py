import boto3
from botocore.config import Config

ACCESS, SECRET, TOKEN = PROVIDER_KEY.split(":")
client = boto3.client(
    "bedrock-runtime",
    region_name="us-east-1",
    endpoint_url=BASE_URL,
    # Used without a gateway. With one, they sign for the wrong host, and the gateway signs again.
    aws_access_key_id=ACCESS,
    aws_secret_access_key=SECRET,
    aws_session_token=TOKEN,
    config=Config(retries={"total_max_attempts": 3}),
)
if HEADERS:
    OWN = {"x-api-key": API_KEY, **HEADERS}
    client.meta.events.register("before-send.bedrock-runtime", lambda request, **_: request.headers.update(OWN))
MODEL = "us.anthropic.claude-3-haiku-20240307-v1:0"
TOOLS = {
    "tools": [
        {
            "toolSpec": {
                "name": "get_weather",
                "inputSchema": {"json": {"type": "object", "properties": {"city": {"type": "string"}}}},
            }
        }
    ]
}


def converse(text):
    messages = [{"role": "user", "content": [{"text": text}]}]
    return {"modelId": MODEL, "messages": messages, "inferenceConfig": {"maxTokens": 200}}


def invoke(text):
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    body = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 200, "messages": messages}
    return {"modelId": MODEL, "body": json.dumps(body)}


def told(answer):
    return {name: value for name, value in answer.items() if name in ("output", "stopReason", "usage")}


def call_plain():
    return told(client.converse(**converse(HELLO)))


def call_stream():
    return list(client.converse_stream(**converse(HELLO))["stream"])


def call_tool():
    return told(client.converse(**converse(WEATHER), toolConfig=TOOLS))


def call_invoke():
    return json.loads(client.invoke_model(**invoke(HELLO))["body"].read())


def call_invoke_stream():
    stream = client.invoke_model_with_response_stream(**invoke(HELLO))["body"]
    return [json.loads(event["chunk"]["bytes"]) for event in stream]
