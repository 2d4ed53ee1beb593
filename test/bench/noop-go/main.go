// The floor for any external processor: four messages a request over gRPC in Go, each answered, and nothing looked at.
// Run as `noop <socket>`; it prints a line once it listens, and ends with its standard input.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"os"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	mode "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Bodies are buffered up to 2 MiB, and come in one message.
const maxMessageBytes = 16 << 20

type noop struct {
	extproc.UnimplementedExternalProcessorServer
}

func (noop) Process(stream extproc.ExternalProcessor_ProcessServer) error {
	streaming := false
	for {
		message, err := stream.Recv()
		if err == io.EOF || status.Code(err) == codes.Canceled {
			return nil
		}
		if err != nil {
			return err
		}
		if headers := message.GetResponseHeaders(); headers != nil {
			streaming = isEventStream(headers.GetHeaders())
		}
		if err := stream.Send(reply(message, streaming)); err != nil {
			return err
		}
	}
}

func reply(message *extproc.ProcessingRequest, streaming bool) *extproc.ProcessingResponse {
	switch request := message.Request.(type) {
	case *extproc.ProcessingRequest_RequestHeaders:
		return &extproc.ProcessingResponse{
			Response: &extproc.ProcessingResponse_RequestHeaders{RequestHeaders: &extproc.HeadersResponse{}},
		}
	case *extproc.ProcessingRequest_RequestBody:
		return &extproc.ProcessingResponse{
			Response: &extproc.ProcessingResponse_RequestBody{RequestBody: &extproc.BodyResponse{}},
		}
	case *extproc.ProcessingRequest_ResponseHeaders:
		return responseHeaders(streaming)
	case *extproc.ProcessingRequest_ResponseBody:
		return responseBody(request.ResponseBody, streaming)
	case *extproc.ProcessingRequest_ResponseTrailers:
		return &extproc.ProcessingResponse{
			Response: &extproc.ProcessingResponse_ResponseTrailers{ResponseTrailers: &extproc.TrailersResponse{}},
		}
	default:
		return &extproc.ProcessingResponse{
			Response: &extproc.ProcessingResponse_RequestTrailers{RequestTrailers: &extproc.TrailersResponse{}},
		}
	}
}

// An event stream is passed on chunk by chunk, anything else is buffered.
func responseHeaders(streaming bool) *extproc.ProcessingResponse {
	response := &extproc.ProcessingResponse{
		Response: &extproc.ProcessingResponse_ResponseHeaders{ResponseHeaders: &extproc.HeadersResponse{}},
	}
	if streaming {
		response.ModeOverride = &mode.ProcessingMode{
			ResponseBodyMode:    mode.ProcessingMode_FULL_DUPLEX_STREAMED,
			ResponseTrailerMode: mode.ProcessingMode_SEND,
		}
	}
	return response
}

func responseBody(body *extproc.HttpBody, streaming bool) *extproc.ProcessingResponse {
	response := &extproc.BodyResponse{}
	if streaming {
		response.Response = &extproc.CommonResponse{BodyMutation: &extproc.BodyMutation{
			Mutation: &extproc.BodyMutation_StreamedResponse{StreamedResponse: &extproc.StreamedBodyResponse{
				Body:        body.GetBody(),
				EndOfStream: body.GetEndOfStream(),
			}},
		}}
	}
	return &extproc.ProcessingResponse{
		Response: &extproc.ProcessingResponse_ResponseBody{ResponseBody: response},
	}
}

func isEventStream(headers *core.HeaderMap) bool {
	for _, header := range headers.GetHeaders() {
		if header.GetKey() == "content-type" {
			return len(header.GetRawValue()) >= 17 && string(header.GetRawValue()[:17]) == "text/event-stream"
		}
	}
	return false
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: noop <socket>")
	}
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessageBytes), grpc.MaxConcurrentStreams(10_000))
	extproc.RegisterExternalProcessorServer(server, noop{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println("ready")
	log.Fatal(server.Serve(listener))
}
