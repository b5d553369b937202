"""Text that cannot be trusted: leaked reasoning, leaked control tokens, forged literals.

- :func:`heal_events`, :func:`heal_text`, :func:`heal_message`, :class:`Healer`: reasoning that leaked into visible text
  becomes reasoning again.
- :func:`demote`: reasoning as text that is safe inside a message.
- :func:`escape`, :func:`escape_json`, :func:`unescape`: control literals in untrusted text.
- :func:`detect_leak`, :class:`LeakWatch`, :func:`recover`: harmony's protocol in text and arguments.
"""

from __future__ import annotations

from toolconv.guard.escaping import demote, escape, escape_json, unescape
from toolconv.guard.healing import Healer, heal_events, heal_message, heal_text
from toolconv.guard.leaks import Leak, LeakWatch, Recovery, Signal, Surface, detect_leak, recover

__all__ = [
    "Healer",
    "Leak",
    "LeakWatch",
    "Recovery",
    "Signal",
    "Surface",
    "demote",
    "detect_leak",
    "escape",
    "escape_json",
    "heal_events",
    "heal_message",
    "heal_text",
    "recover",
    "unescape",
]
