"""The user's proxy, for the JVMs: pip and requests read HTTPS_PROXY and NO_PROXY by themselves, Java knows only properties of its own."""

from __future__ import annotations

import ipaddress
import json
import os
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote, urlsplit

from ..base.problem import JAVAS, Problem, hidden, variable

NAMES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
# What Java itself leaves out unless it is told otherwise (http.nonProxyHosts); pages start servers on this machine.
ALWAYS_DIRECT = ("localhost", "127.*", "[::1]")


def users_own(env: Mapping[str, str] = os.environ) -> str | None:
    """The variable in which the user already tells Java of a proxy, if any."""
    return next((name for name in JAVAS if re.search(r"proxyHost|ProxyHost|useSystemProxies", env.get(name, ""))), None)


def proxies(env: Mapping[str, str] = os.environ) -> dict[str, SplitResult]:
    """The proxy for each of Java's protocols. One that pip does not speak either (SOCKS) is left to the user's own options."""
    found = {}
    for scheme in ("https", "http"):
        name = variable(f"{scheme.upper()}_PROXY", env) or variable("ALL_PROXY", env)
        if not name:
            continue
        value = env[name].strip()
        split = urlsplit(value if "://" in value else f"http://{value}")
        try:
            good = bool(split.hostname) and (split.port is None or split.port > 0)
        except ValueError:  # a port that is no number
            good = False
        if not good:
            raise Problem(f"{name} is {hidden(value)!r}; a proxy is named like http://proxy.example:3128.", f"Correct {name}, or unset it.")
        if split.scheme in ("http", "https"):
            found[scheme] = split
    return found


def java_options(env: Mapping[str, str] = os.environ) -> list[str]:
    """The properties that send a JVM's downloads through the user's proxy. Without the password: the command line is for all to see."""
    direct = direct_hosts(env)
    if users_own(env) or "*" in direct:
        return []
    options = []
    for scheme, proxy in proxies(env).items():
        port = proxy.port or (443 if proxy.scheme == "https" else 80)
        options += [f"-D{scheme}.proxyHost={proxy.hostname}", f"-D{scheme}.proxyPort={port}"]
    return [*options, f"-Dhttp.nonProxyHosts={'|'.join(direct)}"] if options else []


def java_credentials(env: Mapping[str, str] = os.environ) -> str:
    """The lines of a java `@argfile` that hold the proxy's user and password; empty where it wants none.

    They are for coursier's own program, which answers the proxy with them; other JVMs would not use them.
    """
    if not java_options(env):
        return ""
    lines = []
    for scheme, proxy in proxies(env).items():
        if proxy.username:
            values = {"proxyUser": proxy.username, "proxyPassword": proxy.password or "", "proxyProtocol": proxy.scheme}
            lines += [json.dumps(f"-D{scheme}.{name}={unquote(value)}", ensure_ascii=False) for name, value in values.items()]
    return "".join(line + "\n" for line in lines)


def direct_hosts(env: Mapping[str, str] = os.environ) -> list[str]:
    """NO_PROXY as Java's http.nonProxyHosts: a name stands for itself and for what ends in it."""
    found = list(ALWAYS_DIRECT)
    for entry in env.get(variable("NO_PROXY", env), "").split(","):
        found += _direct(entry.strip())
    return list(dict.fromkeys(found))


def _direct(entry: str) -> list[str]:
    if entry in ("", "*"):
        return [entry] if entry else []
    if "/" in entry:
        return _network(entry)
    if entry.count(":") > 1:  # an IPv6 address
        return [f"[{entry.strip('[]')}]"]
    name = entry.partition(":")[0].removeprefix("*").removeprefix(".")
    return [name] if re.fullmatch(r"[\d.]+", name) else [name, f"*.{name}"]


def _network(entry: str) -> list[str]:
    """Addresses such as 10.0.0.0/8 as far as Java has a pattern for them: cut at a dot."""
    try:
        network = ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return []
    if network.version != 4 or network.prefixlen < 8:
        return []
    parts = -(-network.prefixlen // 8)
    parted = (str(subnet.network_address).split(".") for subnet in network.subnets(new_prefix=8 * parts))
    return [".".join(numbers[:parts]) + (".*" if parts < 4 else "") for numbers in parted]
