import sys, pytest
class TestLamp:
    def test_lights(self, record_property):
        record_property("bench", "7")
        print("the lamp is on")
    def test_red(self):
        print("looking", file=sys.stderr)
        assert "green\x1b[31m" == "red"
@pytest.mark.skip(reason="no lamp here")
def test_blue(): pass
@pytest.mark.xfail(reason="known to be dark")
def test_xfail(): assert 0
@pytest.mark.xfail(reason="known to be dark")
def test_xpass(): pass
@pytest.fixture
def broken(): raise RuntimeError("no power")
def test_fixture(broken): pass
@pytest.fixture
def late():
    yield
    raise RuntimeError("fuse")
def test_teardown(late): pass
def test_both(late): assert 0, "lamp broke"
@pytest.mark.parametrize("v", [1.5, "a<b>&"])
def test_param(v): pass
