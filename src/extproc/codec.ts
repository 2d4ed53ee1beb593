/** Envoy's messages straight from bytes and to bytes, without a library (protobuf's wire format). */
export { decodeRequest } from './decode-request.ts';
export { encodedBytes, encodeResponse } from './encode-response.ts';
