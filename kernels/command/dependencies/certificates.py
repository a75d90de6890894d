"""Makes the course's downloads trust the operating system's certificates, in addition to those of pip and Java.

A company's proxy re-signs all traffic. Its certificate is in the system's store, which older versions of pip and the bundled Java runtime
ignore. `pem()` is for pip and requests, `trust_store()` for every JVM.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import ssl
import struct
import sys
from collections.abc import Mapping
from pathlib import Path

from ..base import children
from ..base.files import fingerprint, stamp, stamped, write_whole
from ..base.paths import CERTIFICATES, TRUST_STORE, shown
from ..base.problem import BUNDLES, JAVAS, diagnose
from ..base.say import say
from .java import Java

USUAL_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch, Alpine
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  # Fedora, RHEL
    "/etc/pki/tls/certs/ca-bundle.crt",  # older RHEL
    "/etc/ssl/ca-bundle.pem",  # SUSE
    "/var/lib/ca-certificates/ca-bundle.pem",
    "/etc/ssl/cert.pem",  # Alpine, BSD, macOS
)
KEYCHAINS = ("/System/Library/Keychains/SystemRootCertificates.keychain", "/Library/Keychains/System.keychain")
OWN_STORE = "javax.net.ssl.trustStore"
_BLOCK = re.compile(rb"-----BEGIN (?:TRUSTED )?CERTIFICATE-----(.*?)-----END (?:TRUSTED )?CERTIFICATE-----", re.S)


def system_files() -> list[Path]:
    """Returns the files in which this system keeps its trusted certificates, and those that the user's variables name."""
    paths = ssl.get_default_verify_paths()
    named = [*(os.environ.get(name) for name in ("SSL_CERT_FILE", *BUNDLES)), paths.cafile, paths.openssl_cafile]
    usual = next((path for path in USUAL_BUNDLES if os.path.isfile(path)), None)
    found = [Path(path) for path in [*named, usual] if path and os.path.isfile(path)]
    if sys.platform == "darwin":
        found += [Path(path) for path in KEYCHAINS if os.path.isfile(path)]
    folders = [os.environ.get("SSL_CERT_DIR"), paths.capath]
    if not found:
        folder = next((Path(f) for f in folders if f and os.path.isdir(f)), None)
        found = sorted(p for p in folder.iterdir() if p.suffix in (".pem", ".crt", ".0")) if folder else []
    return list(dict.fromkeys(path.resolve() for path in found))


def system_key(files: list[Path]) -> str:
    return fingerprint([(str(path), path.stat().st_size, int(path.stat().st_mtime)) for path in files])


def system_certificates() -> list[bytes]:
    """Returns every certificate that this system trusts, as DER."""
    text = b""
    for path in system_files():
        if path.suffix == ".keychain":
            text += _printed(["security", "find-certificate", "-a", "-p", path])
        else:
            text += path.read_bytes() + b"\n"
    return read_pem(text)


def read_pem(text: bytes) -> list[bytes]:
    return list(dict.fromkeys(base64.b64decode(block) for block in _BLOCK.findall(text)))


def write_pem(certificates: list[bytes]) -> bytes:
    return "".join(ssl.DER_cert_to_PEM_cert(certificate) for certificate in certificates).encode()


# ---- pip and requests


def pem(site: Path) -> Path | None:
    """Returns a PEM file with the system's certificates and pip's own, or None if the system has none."""
    files = system_files()
    if not files:
        return None
    own = sorted(site.glob("pip/_vendor/certifi/cacert.pem"))
    key = fingerprint(system_key(files), [str(path) for path in own])
    target = CERTIFICATES / "ca.pem"
    if not stamped("pem", key):
        write_whole(target, write_pem(list(dict.fromkeys(system_certificates() + [c for p in own for c in read_pem(p.read_bytes())]))))
        stamp("pem", key, [target])
    return target


def requests_environment(site: Path) -> dict[str, str]:
    """Returns the environment in which requests trusts the system's certificates, unless the user's variables name others."""
    # An empty variable in one spelling would hide a proxy in the other spelling.
    env = {name: value for name, value in os.environ.items() if value or not name.lower().endswith("_proxy")}
    if any(env.get(name) for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")):
        return env
    bundle = pem(site)
    return {**env, "REQUESTS_CA_BUNDLE": str(bundle)} if bundle else env


# ---- Java


def users_own_store(env: Mapping[str, str]) -> str | None:
    """Returns the variable in which the user already names a trust store, or None."""
    return next((name for name in JAVAS if OWN_STORE in env.get(name, "")), None)


def java_options(java: Java) -> list[str]:
    """Returns the JVM options that name the trust store, or none if the user named another or the system has no certificates."""
    store = trust_store(java)
    return [f"-D{OWN_STORE}={store}", "-Djavax.net.ssl.trustStoreType=JKS"] if store else []


def trust_store(java: Java) -> Path | None:
    files = system_files()
    if users_own_store(os.environ) or not files:
        return None
    key = fingerprint(system_key(files), str(java.home), java.version)
    if not stamped("trust-store", key):
        bundled = java_certificates(java)
        together = list(dict.fromkeys(bundled + system_certificates()))
        more = len(together) - len(bundled)
        say(f"Certificates: {len(bundled)} from the Java runtime and {more} more from this system in {shown(TRUST_STORE)}")
        write_whole(TRUST_STORE, jks(together))
        stamp("trust-store", key, [TRUST_STORE])
    return TRUST_STORE


def java_certificates(java: Java) -> list[bytes]:
    """Returns the runtime's own certificates, or none if it has no keytool to list them."""
    keytool = java.home / "bin" / "keytool"
    if not keytool.is_file():
        return []
    return read_pem(_printed([keytool, "-J-XX:TieredStopAtLevel=1", "-list", "-rfc", "-cacerts", "-storepass", "changeit"]))


def _printed(argv: list[str | Path]) -> bytes:
    """Returns the output of a program that lists certificates. Raises a Problem if it fails, because the list would be incomplete."""
    code, text = children.run(argv)
    if code:
        raise diagnose(f"Listing certificates with {argv[0]} (exit code {code})", text, code=code)
    return text.encode()


def jks(certificates: list[bytes]) -> bytes:
    """Returns a Java key store with trusted certificates (format JKS, version 2, as in sun.security.provider.JavaKeyStore)."""

    def utf(text: str) -> bytes:
        return struct.pack(">H", len(text)) + text.encode()

    body = struct.pack(">III", 0xFEEDFEED, 2, len(certificates))
    for number, certificate in enumerate(certificates):
        body += struct.pack(">I", 2) + utf(f"ca-{number}") + struct.pack(">Q", 0) + utf("X.509")
        body += struct.pack(">I", len(certificate)) + certificate
    return body + hashlib.sha1("changeit".encode("utf-16-be") + b"Mighty Aphrodite" + body).digest()
