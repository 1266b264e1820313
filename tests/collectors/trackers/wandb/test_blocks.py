import pytest
from campaigns import wandb_writer as w

from itermon.collectors.trackers.wandb import blocks
from itermon.collectors.trackers.wandb.blocks import BLOCK_BYTES, Blocks

SMALL = [bytes([65 + number]) * 40 for number in range(6)]
LONG = [b"a" * 50, b"b" * 90_000, b"c" * 50]  # over three blocks


def read(data, each=None):
    reader = Blocks()
    portions = [data] if each is None else [data[at : at + each] for at in range(0, len(data), each)]
    return [record for portion in portions for record in reader.feed(portion)], reader


@pytest.mark.parametrize("each", [None, 1, 7, 100, 40_000])
@pytest.mark.parametrize("records", [SMALL, LONG])
def test_records_come_out_whole_in_any_portions(records, each):
    found, reader = read(w.file_of(records), each)
    assert found == records
    assert (reader.damaged, reader.torn_bytes) == (0, 0)


@pytest.mark.parametrize("left", range(9))
def test_the_end_of_a_block_is_passed_over(left):
    """With fewer than 7 bytes left no record begins there; with 7 an empty piece does."""
    first = b"x" * (BLOCK_BYTES - len(w.MAGIC) - 7 - left)
    assert read(w.file_of([first, b"second"]))[0] == [first, b"second"]


@pytest.mark.parametrize("records", [SMALL, LONG])
def test_a_torn_file_gives_what_is_whole_and_goes_on_when_it_grows(records):
    data = w.file_of(records)
    for at in range(0, len(data), 1 if records is SMALL else 999):
        reader = Blocks()
        before = list(reader.feed(data[:at]))
        assert before == records[: len(before)]
        assert before + list(reader.feed(data[at:])) == records
        assert reader.damaged == 0


def test_a_torn_end_is_told():
    data = w.file_of(SMALL)
    assert read(data[:-1])[1].torn_bytes == 7 + 39
    assert read(w.file_of(LONG)[:60_000])[1].torn_bytes > 50_000


def test_after_a_bad_checksum_nothing_of_its_block_is_believed_and_the_next_one_is():
    many = [bytes([number]) * 1_000 for number in range(100)]  # four blocks
    data = bytearray(w.file_of(many))
    data[BLOCK_BYTES + 5_000] ^= 1
    found, reader = read(bytes(data))
    assert reader.damaged == 1
    assert found == [record for record in many if record in found]
    assert many[:32] == found[:32]
    assert found[-1] == many[-1]
    assert 60 < len(found) < 80


@pytest.mark.parametrize("kind", [0, 5, 255])
def test_a_piece_of_no_known_type_is_damage(kind):
    data = bytearray(w.file_of([*SMALL, b"x" * BLOCK_BYTES]))
    data[len(w.MAGIC) + 6] = kind
    found, reader = read(bytes(data))
    assert (found, reader.damaged) == ([], 1)


def test_zeros_of_a_crash_are_passed_over_and_are_no_damage():
    data = w.file_of([*SMALL, *LONG])
    found, reader = read(data[:BLOCK_BYTES] + bytes(BLOCK_BYTES) + data[2 * BLOCK_BYTES :])
    assert found == [*SMALL, LONG[0], LONG[2]]
    assert reader.damaged == 0


def test_zeros_at_the_end_may_still_be_written():
    data = w.file_of(SMALL)
    reader = Blocks()
    assert len(list(reader.feed(data[:-47] + bytes(3)))) == 5
    assert reader.torn_bytes == 0


def test_a_file_without_its_head_is_damaged():
    assert read(b"no W&B" + w.file_of(SMALL)[6:])[1].damaged == 1
    assert read(b"")[1].damaged == 0


def test_a_record_beyond_any_reason_is_left_out(monkeypatch):
    monkeypatch.setattr(blocks, "MOST_BYTES", 50_000)
    found, reader = read(w.file_of(LONG))
    assert (found, reader.too_long) == ([LONG[0], LONG[2]], 1)


@pytest.mark.parametrize("each", [1_000, 7_777, BLOCK_BYTES])
def test_damage_is_the_same_however_the_file_comes_in(each):
    many = [bytes([number]) * 1_000 for number in range(100)]
    for place in (5, 600, BLOCK_BYTES + 5_000, 2 * BLOCK_BYTES - 600):
        data = bytearray(w.file_of(many))
        data[place] ^= 1
        (whole, at_once), (parts, in_parts) = read(bytes(data)), read(bytes(data), each)
        assert parts == whole
        assert in_parts.damaged == at_once.damaged == 1


@pytest.mark.parametrize(("most", "count"), [(90_000, 0), (89_999, 1)])
def test_a_record_may_have_the_most_bytes_and_none_more(monkeypatch, most, count):
    monkeypatch.setattr(blocks, "MOST_BYTES", most)
    found, reader = read(w.file_of(LONG))
    assert (len(found), reader.too_long) == (3 - count, count)


def test_of_a_record_that_begins_in_a_lost_block_nothing_is_believed():
    data = bytearray(w.file_of([*SMALL, *LONG]))
    data[600] ^= 1  # in the first piece of the long record
    found, reader = read(bytes(data))
    assert (found, reader.damaged) == ([*SMALL, LONG[0], LONG[2]], 1)
    assert reader.torn_bytes == 0


@pytest.mark.parametrize(("missing", "damaged"), [(0, 1), (1, 0)])
def test_damage_is_told_once_its_block_is_whole_though_nothing_follows(missing, damaged):
    data = bytearray(w.file_of([bytes([number]) * 1_000 for number in range(100)]))
    data[BLOCK_BYTES + 5_000] ^= 1
    _, reader = read(bytes(data[: 2 * BLOCK_BYTES - missing]))
    assert reader.damaged == damaged
    assert (reader.torn_bytes > 0) == (not damaged)
