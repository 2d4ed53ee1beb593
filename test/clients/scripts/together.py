from together import Together

try:
    client = Together(base_url=BASE_URL, api_key=API_KEY, default_headers=HEADERS)
except TypeError:  # before 2.0
    client = Together(base_url=BASE_URL + "/v1", api_key=API_KEY, supplied_headers=HEADERS)
globals().update(chat_calls(client, "meta-llama/Llama-3.3-70B-Instruct-Turbo"))
