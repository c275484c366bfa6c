"""The files that nginx and PgBouncer read, and the certificate. Each number has its reason."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

NGINX = """\
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/logs/nginx-errors.log warn;
events {{ worker_connections 16384; }}
http {{
  include /etc/nginx/mime.types;
  access_log off;
  client_body_temp_path {folder}/nginx-bodies;
  proxy_temp_path {folder}/nginx-answers;
  fastcgi_temp_path {folder}/nginx-fastcgi;
  uwsgi_temp_path {folder}/nginx-uwsgi;
  scgi_temp_path {folder}/nginx-scgi;
  server_tokens off;
  gzip on;
  gzip_types application/json text/css application/javascript image/svg+xml;
  gzip_min_length 1000;
  # What an address may send: bursts of a page with its files, and no flood.
  limit_req_zone $binary_remote_addr zone=requests:10m rate={rate}r/s;
  limit_req_status 429;
  limit_conn_zone $binary_remote_addr zone=connections:10m;
  limit_conn_status 429;
  upstream service {{
    least_conn;
{hosts}
  }}
  server {{
    listen 127.0.0.1:{port} ssl http2 backlog=4096;
    server_name localhost 127.0.0.1;
    ssl_certificate {folder}/certificate.pem;
    ssl_certificate_key {folder}/key.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:tls:10m;
    limit_req zone=requests burst={burst} nodelay;
    limit_conn connections {connections};
    # Slow senders: a pause of so many seconds ends the request.
    client_header_timeout 10s;
    client_body_timeout 10s;
    send_timeout 30s;
    keepalive_timeout 30s;
    # Above the largest upload of the service, which answers 400 itself up to here.
    client_max_body_size 5m;
    add_header X-Served-By $upstream_addr always;
    location /static/ {{
      alias {static}/;
      expires 1h;
    }}
    location /health/ {{
      allow 127.0.0.1;
      deny all;
      proxy_pass http://service;
      include {folder}/proxy.conf;
    }}
    location / {{
      proxy_pass http://service;
      include {folder}/proxy.conf;
    }}
  }}
}}
"""

#: What all locations tell the service, and how long they wait for it.
PROXY = """\
proxy_http_version 1.1;
# A connection for each request, which costs next to nothing on a socket: a server that reloads
# closes kept ones, and a POST that was just sent on one is lost.
proxy_set_header Connection close;
proxy_set_header Host $http_host;
proxy_set_header X-Forwarded-For $remote_addr;
proxy_set_header X-Forwarded-Proto $scheme;
proxy_set_header X-Request-ID $request_id;
proxy_connect_timeout 2s;
proxy_read_timeout 60s;
# A host that refuses costs nothing on a socket: every request tries the other one instead, and
# no host is left out for a while, because the other one may stop meanwhile. Only what has no
# effect twice is sent again once it was sent.
proxy_next_upstream error timeout;
proxy_next_upstream_tries 2;
"""

PGBOUNCER = """\
[databases]
service = host={postgresql} dbname=service user={user}
[pgbouncer]
unix_socket_dir = {folder}
unix_socket_mode = 0777
listen_port = 6432
auth_type = any
pool_mode = transaction
# Clients: processes times threads of all hosts, and as many for a rolling update.
max_client_conn = 500
# Connections of PostgreSQL: what its cores can work on at a time; the rest waits here.
default_pool_size = {pool}
# Who waits longer for a connection gets an error, which becomes 503 with Retry-After.
query_wait_timeout = 5
# After a restart of PostgreSQL, try again at once.
server_login_retry = 1
server_connect_timeout = 3
server_check_delay = 10
ignore_startup_parameters = extra_float_digits,options
logfile = {folder}/pgbouncer.log
pidfile = {folder}/pgbouncer.pid
"""


def nginx(folder: Path, static: Path, port: int, sockets: Sequence[Path], **own: object) -> str:
    hosts = "\n".join(f"    server unix:{socket} max_fails=0;" for socket in sockets)
    limits = {"rate": 200, "burst": 400, "connections": 100, "user": "", **own}
    return NGINX.format(folder=folder, static=static, port=port, hosts=hosts, **limits)


def pgbouncer(folder: Path, postgresql: Path, user: str, pool: int) -> str:
    return PGBOUNCER.format(folder=folder, postgresql=postgresql, user=user, pool=pool)


def write_certificate(openssl: str, folder: Path) -> None:
    """Write a key and a certificate for this machine's loopback addresses, for 30 days."""
    request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    request += ["-nodes", "-days", "30"]
    files = ["-keyout", folder / "key.pem", "-out", folder / "certificate.pem"]
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    subprocess.run(
        [openssl, *request, "-subj", "/CN=localhost", "-addext", names, *files],
        check=True,
        capture_output=True,
    )
    (folder / "key.pem").chmod(0o600)
