from toolconv_parrot.parrot import Parrot

from toolconv.testing import DialectContract


class TestParrot(DialectContract):
    dialect = Parrot()
