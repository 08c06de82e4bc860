// Command steve serves Rancher's Steve, as its module publishes it, as a peer to compare with.
//
//	steve --kubeconfig FILE --listen 127.0.0.1:0 [--cert FILE --key FILE]
//
// Callers are who their Impersonate-User and Impersonate-Group headers say; without them, the kubeconfig's user. It prints
// {"event":"listening","address":...}, and keeps its SQLite file in the working directory.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/rancher/steve/pkg/auth"
	"github.com/rancher/steve/pkg/server"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig of the cluster")
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	cert := flag.String("cert", "", "certificate, PEM; plain HTTP without")
	key := flag.String("key", "", "its key, PEM")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := serve(ctx, *kubeconfig, *listen, *cert, *key); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, kubeconfig, listen, cert, key string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 10000, 100 // as Rancher sets them: steve pkg/server/config.go
	handler, err := server.New(ctx, config, &server.Options{
		AuthMiddleware: auth.ToMiddleware(auth.AuthenticatorFunc(auth.Impersonation)),
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	said := map[string]string{"event": "listening", "address": listener.Addr().String()}
	if err := json.NewEncoder(os.Stdout).Encode(said); err != nil {
		return err
	}
	web := &http.Server{Handler: handler}
	go func() {
		<-ctx.Done()
		web.Close()
	}()
	if cert == "" {
		err = web.Serve(listener)
	} else {
		err = web.ServeTLS(listener, cert, key)
	}
	if err == http.ErrServerClosed {
		return nil
	}
	return err
}
