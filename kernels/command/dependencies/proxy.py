"""Passes the user's proxy to the JVMs. pip and requests read HTTPS_PROXY and NO_PROXY, but Java reads only its own properties."""

from __future__ import annotations

import ipaddress
import json
import os
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote, urlsplit

from ..base.problem import JAVAS, Problem, hidden, variable

NAMES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
# Java's default for http.nonProxyHosts. Pages start servers on this machine.
ALWAYS_DIRECT = ("localhost", "127.*", "[::1]")


def users_own(env: Mapping[str, str] = os.environ) -> str | None:
    """Returns the variable in which the user already configures Java's proxy, or None."""
    return next((name for name in JAVAS if re.search(r"proxyHost|ProxyHost|useSystemProxies", env.get(name, ""))), None)


def proxies(env: Mapping[str, str] = os.environ) -> dict[str, SplitResult]:
    """Returns the proxy for each of Java's protocols, except SOCKS, which pip lacks as well. Raises a Problem if one is invalid."""
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
            raise Problem(
                f"{name} is {hidden(value)!r}; expected an address such as http://proxy.example:3128.", f"Correct {name}, or unset it."
            )
        if split.scheme in ("http", "https"):
            found[scheme] = split
    return found


def java_options(env: Mapping[str, str] = os.environ) -> list[str]:
    """Returns the properties that send a JVM's downloads through the proxy. They exclude the password, because command lines are public."""
    direct = direct_hosts(env)
    if users_own(env) or "*" in direct:
        return []
    options = []
    for scheme, proxy in proxies(env).items():
        port = proxy.port or (443 if proxy.scheme == "https" else 80)
        options += [f"-D{scheme}.proxyHost={proxy.hostname}", f"-D{scheme}.proxyPort={port}"]
    return [*options, f"-Dhttp.nonProxyHosts={'|'.join(direct)}"] if options else []


def java_credentials(env: Mapping[str, str] = os.environ) -> str:
    """Returns the lines of a java `@argfile` with the proxy's user and password, or "" if it needs none.

    They are for coursier, which authenticates with them. Other JVMs wouldn't use them.
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
    """Converts NO_PROXY to Java's http.nonProxyHosts. A name covers itself and all its subdomains."""
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
    """Converts a network such as 10.0.0.0/8 to Java's patterns, which end at a dot."""
    try:
        network = ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return []
    if network.version != 4 or network.prefixlen < 8:
        return []
    parts = -(-network.prefixlen // 8)
    parted = (str(subnet.network_address).split(".") for subnet in network.subnets(new_prefix=8 * parts))
    return [".".join(numbers[:parts]) + (".*" if parts < 4 else "") for numbers in parted]
