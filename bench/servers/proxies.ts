/**
 * What many put before a node instead: nginx and HAProxy, which pass each request on and check nothing. Each is one
 * process, which ends when it is killed, keeps connections to the upstream, and logs nothing.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startProxy } from './process.ts'

/** Connections that are kept to the upstream, as the gateway's. */
const KEPT = 40

/** @param upstream  its origin @returns null where the program is not installed */
type StartProxy = (upstream: string) => Promise<ServerProcess | null>

export const nginx: StartProxy = (upstream) =>
  before('nginx', upstream, (folder, port, host) => ({
    text: `
pid ${folder}/pid;
master_process off;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 1000000000;
  upstream node { server ${host}; keepalive ${KEPT}; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://node;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`,
    args: (file) => ['-p', folder, '-c', file, '-g', 'daemon off;'],
  }))

export const haproxy: StartProxy = (upstream) =>
  before('haproxy', upstream, (_folder, port, host) => ({
    text: `
global
  nbthread 1
defaults
  mode http
  timeout connect 4s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend clients
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  server node ${host} pool-max-conn ${KEPT}
`,
    args: (file) => ['-f', file],
  }))

interface Written {
  readonly text: string
  args(file: string): readonly string[]
}

async function before(
  program: string,
  upstream: string,
  write: (folder: string, port: number, host: string) => Written,
): Promise<ServerProcess | null> {
  if (spawnSync(program, ['-v']).error !== undefined) {
    console.log(`${program} is not installed: it is left out.`)
    return null
  }
  const folder = mkdtempSync(join(tmpdir(), 'swapgate-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return startProxy((port) => {
    const { text, args } = write(folder, port, new URL(upstream).host)
    const file = join(folder, `${program}.conf`)
    writeFileSync(file, text)
    return [program, ...args(file)]
  })
}
