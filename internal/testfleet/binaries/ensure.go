package binaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Ensure builds a tool that the cache does not hold yet and returns the folder with its programs.
// Log gets a line when a build starts, one now and then while it runs, and one when it ends with the
// seconds it took; nothing when there is nothing to do. Two processes that want the same tool build it
// once: the second waits for the first.
func Ensure(ctx context.Context, log io.Writer, tool Tool) (string, error) {
	src, err := locate(tool)
	if err != nil {
		return "", fmt.Errorf("find the sources of %s: %w", tool.Name, err)
	}
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	target := filepath.Join(cache, tool.Name+"-"+src.version+"-"+src.key)
	if isDir(target) {
		return target, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(ctx, log, tool.Name, filepath.Join(cache, tool.Name+".lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	if isDir(target) {
		return target, nil
	}
	if err := build(ctx, log, tool, src, target); err != nil {
		return "", fmt.Errorf("build %s %s: %w", tool.Name, src.version, err)
	}
	return target, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// lock waits until no other process holds the file. The kernel releases it when its holder dies.
func lock(ctx context.Context, log io.Writer, name, path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	stop := func() {}
	defer func() { stop() }()
	for waiting := false; ; waiting = true {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { _ = file.Close() }, nil
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
		case !waiting:
			stop = report(log, "waits  %s is being built by another process", name)
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// report writes a line, and again with the seconds gone every 15 s, until the returned function is called.
func report(log io.Writer, format string, args ...any) (stop func()) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(log, "%s ...\n", text)
	start := time.Now()
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(15 * time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				fmt.Fprintf(log, "%s ... %.0f s\n", text, time.Since(start).Seconds())
			case <-quit:
				return
			}
		}
	}()
	return func() { close(quit); <-done }
}
