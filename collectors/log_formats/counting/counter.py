"""The places of rows in their run: one index that ascends, whatever they count with.

A row has a step, an epoch, both, or neither. A step may begin again with each epoch, which stands in the row, on a line of its
own, or nowhere. That a run began again needs more than a lower number: the next row that counts on from there, a heading, a clock.
"""

from __future__ import annotations

from math import inf

from .ends import Begins, Ends, SaidEpochs
from .lengths import FULL, OtherLengths, Place, is_placeholder, past_its_length, runs_on, runs_over
from .loaded import Begun, Loaded
from .standing import NO_CONTEXT, Clock, RowContext, Standing, goes_on_from
from .writers import Writers

_COARSE = 0.05
"""An epoch of no printed length may be longer than its last line says: by a larger share than this, and nobody knows its steps."""

_LONG_OVER, _LEAP = 2, 20
"""So many epochs no other rank is late; so many times as far as the newest two rows, behind an opening, is no counting on."""


class Counter:
    """Places of rows. After `see`, `index` is the row's, and `waited` that of the row that waited before it."""

    def __init__(self) -> None:
        self.index: float | None = None
        self.waited: float | None = None
        self.alone = False  # the row that waited was a training by itself, if one begins with the newest
        self.resized, self.writers = False, Writers()  # is it another training's, for its length is another?
        self._row, self._doubled = inf, False  # the fewest steps between two rows; do two ranks tell of one place?
        self.only_zero = False  # has an epoch a row of step 0 alone, beside the one that closes it?
        self.coarse = self.is_lower_bound = False  # epochs' length is not known by far; ... of one, at least
        self.crossed = False  # the newest row is of another epoch, and its distance from the row before not known
        self.uncounted = 0.0  # steps at most of the epoch before, behind its last row
        self._turned: tuple[float, float] | None = None  # where such an epoch ended: it has to end so twice
        self._others, self.loaded, self.begins = OtherLengths(), Loaded(), Begins()
        self._ends, self.said = Ends(), SaidEpochs()
        self.rows_counted, self._epochs_from = 0, 1.0  # but the first of epochs; 0 once an epoch 0 was seen
        self._through, self._global, self._anew_each = inf, False, False  # the length beside which steps went on
        self._begin()
        self._waits: tuple[float, float, RowContext] | None = None
        self._size: float | None = None  # so long is the run to be, or its epoch
        self._before_it: float | None = None  # the row before the newest

    def hear(self, text: str) -> None:
        """A line that is no row: it may tell of the checkpoint that the run goes on from."""
        self.loaded.hear(text)
        self.said.hear(text)

    def since_resumed(self, step: float | None) -> dict[str, float]:
        """See `Loaded.since`."""
        return self.loaded.since(step)

    def begin(self) -> None:
        """Nothing goes on: the next row is the first of another training."""
        numbered, self._waits, self.index, self._before_it = self.numbered, None, None, None
        self._begin()
        self._has_steps = numbered

    def _begin(self, *, goes_on_through: bool = False) -> None:
        self._first_epoch: float | None = None
        self._epoch: float | None = None
        self._step: float | None = None
        self._has_steps = False  # for so had the rows of the training before, of the same process
        self._first_step = self._apart = 0.0  # ... and how far the newest two are apart
        self._through = (self._length or inf) if self._global else self._through
        self._length: float | None = None
        self._said = NO_CONTEXT  # what the newest row's line says
        self._others.begin()
        self._before = self._over = 0.0  # steps before this epoch; such beyond epochs' printed length
        self._global = goes_on_through  # steps go on through the epochs
        self._goes_on = False  # ... at one turn at least: the same step in the next epoch is no epoch later
        self.counts_rows = self.by_epochs = False  # a place is a number among rows; epochs are all that counts

    @property
    def numbered(self) -> bool:
        """Have rows had a step? That a script prints step 0 alone, of many epochs, tells of none, unless it says of how many."""
        return (bool(self._step) or self._length is not None or self._has_steps) and not self.by_epochs

    @property
    def of_an_epoch(self) -> float | None:
        """Iterations of each epoch, once a second one has shown it; one where rows name epochs alone, 0 where they are counted."""
        as_run = self._global or self._over or self._others.of_a_round
        length = None if as_run or self._before <= 0 else self._length
        by_rows = self.counts_rows or (self.rows_counted and not (self.by_epochs or self.numbered))
        alone = self._epoch is not None and self._step is None and not self._has_steps
        return 0.0 if by_rows or self._said.of_lines else 1.0 if self.by_epochs or alone else length

    @property
    def step(self) -> float | None:
        """That of the newest row."""
        return self._step

    @property
    def of_its_epoch(self) -> float:
        """Iterations at most that the newest row's epoch has made: a mean that begins anew with it has no more in it."""
        return inf if self._step is None else self._step + 1

    def is_newest(self, step: float | None, epoch: float | None, said: RowContext = NO_CONTEXT) -> bool:
        """Is it the newest row's place, and no step of so many? Without a step it is the epoch, where epochs are all that counts."""
        return (step, epoch) == (self._step, self._epoch) and not (said.length or said.within)

    def whole_run(self, step: float | None) -> dict[str, float | None]:
        """`total`, where it is the run that a row's step is one of, for that went on through an epoch's end; or that nobody knows it."""
        known = self._global and self._length is not None and (self._step or 0.0) <= self._length
        if (step is None and self.rows_counted) or (known and is_placeholder(self._length, self._epoch)):
            return {"total": None}  # `epoch 1/2` is no length of a run whose rows are counted
        over = 0.0 if self._global else self._over
        of_all = self._others.of_all(self._said, self._epochs_from, self._epoch, over)
        return {"total": self._length} if known else of_all

    @property
    def place(self) -> Place:
        """The newest row's, in its epoch."""
        first = None if self._global or not (self._said.within or self._epoch is not None) else self._first_step
        return Place(self._epoch, self._step or 0.0, self._apart, self._length, first)

    def see(
        self, step: float | None, epoch: float | None, said: RowContext = NO_CONTEXT, clock: Clock | None = None
    ) -> Standing:
        """Take in a row: its step or batch, its epoch (which may be a fraction), what its line says, and its clock."""
        said = self._others.whole(step, epoch, said)
        before, size, waited = self.index, said.total or said.length, self._waits
        begins = self.writers.totals.begins(step, epoch, said)
        in_steps = self._step is None is epoch and None not in (step, self._epoch)
        other = said.anew and (in_steps or self._is_of_another_size(step, epoch, size))
        said, self.resized = said._replace(anew=True) if begins else said, begins or other
        standing = self._see(step, epoch, said, clock)
        if standing not in (Standing.WAITS, Standing.OTHER):
            falls = standing is not Standing.ON or (before or 0.0) > (self.index or 0.0)
            self.resized |= falls and self._size not in (None, size or self._size)
            self._size, self._before_it = size or self._size, before if standing is Standing.ON else None
        if standing is Standing.ON and before is not None and self.index is not None:
            self.writers.goes_on(before, self.index, waited and waited[:2])
        elif standing is Standing.AGAIN and None not in (before, self.waited, self.index):
            self.writers.begins(before or 0.0, self.waited or 0.0, self.index or 0.0, self._row)
        return standing

    def _see(self, step: float | None, epoch: float | None, said: RowContext, clock: Clock | None) -> Standing:
        anew, length = said.anew or clock is Clock.NEW, said.length
        loaded = self.loaded.at(step if epoch is None else epoch)
        if step is None:
            return self._see_epoch(epoch, anew=said.anew if epoch is None else anew or loaded)
        loaded = loaded and self._step is not None and self._back(step, epoch, equal=True)
        if self.resized or (said.anew and self._leaps(step)) or loaded:
            return self._anew(step, epoch, said)
        opens = anew and self._step is not None and not goes_on_from(self._waits, step, epoch)
        if opens and self._back(step, epoch, equal=True):
            return self._anew(step, epoch, said)
        self._others.returns(epoch, step, length)
        if not (begins := self._begins_with_steps(epoch)) and self._counts_else(step, epoch, said):
            return Standing.OTHER
        equal, waits = self._waits is not None, self._waits[2].length if self._waits else None
        another = self._step is not None and self._others.another(self.place, (epoch, step, said.length), waits)
        self._doubled = self._doubled or (another and not equal)
        back = self._step is not None and (another or self._back(step, epoch, equal=equal))
        if not begins and (not back or self._turns(step, epoch, said)):
            return self._take(step, epoch, said)
        return Standing.OTHER if clock is Clock.RUNS_ON else self._compare(step, epoch, said)

    def repeats(self, step: float | None, epoch: float | None, said: RowContext) -> bool:
        """Does a row go through the newest one's epoch once more, or through something of another length?"""
        if step is None or self._step is None:
            return step is None and epoch is not None and epoch == self._epoch
        if self.by_epochs:
            return epoch is None or self._epoch is None or epoch <= self._epoch
        if self._is_of_other_length(epoch, said.length) and self._back(step, epoch):
            return True
        return epoch is not None and epoch == self._epoch and step <= self._step

    def _see_epoch(self, epoch: float | None, *, anew: bool) -> Standing:
        """A row without a step is an epoch's, if epochs are all that counts; else rows are counted."""
        if self.counts_rows:
            return self._count_row(epoch, anew=anew)
        anew = anew and (epoch is None or not goes_on_from(self._waits, epoch, None))
        waits = self._waits is not None and not anew
        if waits and epoch is not None and self._epoch is not None and epoch <= self._epoch:
            return self._compare(epoch, None, NO_CONTEXT, of_epochs=True)
        if epoch is None or epoch % 1 or (epoch == self._epoch and not anew and self._step is None):
            return self._count_row(epoch, anew=anew)
        zero = self._step == 0 and epoch == self._epoch and not anew
        if zero or self._epoch is None or (epoch > self._epoch and not self.resized):
            self.only_zero = self.only_zero or zero
            self.by_epochs = self.by_epochs or self._epoch is not None
            self._epoch, self.index, self._waits = epoch, epoch, None
            return Standing.ON
        if anew:
            self.waited = epoch if self._waits == (0.0, epoch, NO_CONTEXT) else None  # it had no step either
            self._begin()
            self._epoch = self.index = epoch
            self._waits = None
            return Standing.ANEW
        return self._compare(epoch, None, NO_CONTEXT, of_epochs=True)

    def _count_row(self, epoch: float | None, *, anew: bool) -> Standing:
        """A row's place is its number among the rows; two of an epoch that was long over are another run's."""
        newest, waits = self._epoch, self._waits
        back = epoch is not None and newest is not None and epoch < newest
        far = epoch is not None and newest is not None and epoch <= newest - _LONG_OVER
        self._waits, self.counts_rows = None, True
        self.rows_counted += epoch is None or epoch == newest or bool(epoch % 1)
        again = anew and epoch is not None and newest is not None and epoch <= newest
        if epoch is None and anew and self.index is not None:
            self._begin()
            self.counts_rows, self.index, self.waited = True, 0.0, None
            return Standing.ANEW
        if epoch is not None and (again or (far and waits)):
            self._begin()
            self.counts_rows, self._epoch = not again, epoch  # the next one may print one row an epoch
            self.waited = None if anew or not waits else waits[0]
            self.index = epoch if self.waited is None else self.waited + 1
            return Standing.ANEW if self.waited is None else Standing.AGAIN
        if far:
            self._waits = (epoch or 0.0, 0.0, NO_CONTEXT)
            return Standing.WAITS
        self._epoch = newest if epoch is None or back else epoch
        self.index = 0.0 if self.index is None else self.index + 1
        return Standing.ON

    def _leaps(self, step: float) -> bool:
        """Does another process begin far beyond the newest row, from a checkpoint of one that is not in the log?"""
        return self._step is not None and step - self._step > _LEAP * max(1.0, self._apart or self._step)

    def _back(self, step: float, epoch: float | None, *, equal: bool = False) -> bool:
        """Does it stand before the newest row?"""
        assert self._step is not None  # noqa: S101 - for the type checker
        if epoch is not None and self._epoch is not None and epoch != self._epoch:
            return epoch < self._epoch
        return step < self._step or (equal and step == self._step)

    def _begins_with_steps(self, epoch: float | None) -> bool:
        """Behind rows of epochs alone: is it a first epoch again, of another training, whose rows have steps, too?"""
        if not self.by_epochs or epoch is None or self._epoch is None or epoch >= self._epoch:
            return False
        return epoch <= 1 or (self._waits is not None and self._waits[0] <= 1)

    def _counts_else(self, step: float, epoch: float | None, said: RowContext) -> bool:
        """Does it count something of another length, from that one's beginning, in the midst of an epoch?"""
        if self.by_epochs:
            return True
        if said.length is None or not self._is_of_other_length(epoch, said.length):
            return False
        back, labelled = self._back(step, epoch), said.phase is not self._said.phase
        return self._others.sets_aside(self.place, step, said.length, back=back, labelled=labelled)

    def _is_of_other_length(self, epoch: float | None, length: float | None) -> bool:
        return self._others.differ(length, self._length) and epoch in (None, self._epoch)

    def _turns(self, step: float, epoch: float | None, said: RowContext) -> bool:
        """A step that begins again: with an epoch that nobody names?"""
        if self._step is None or epoch is not None or step >= self._step:
            return False
        if said.within and said.length is None and not self.said.turned:
            return self._waits is None and not self._ends.breaks_off(self._step, self._apart)
        same = said.length is not None and said.length == self._length
        return said.within or self.said.turned or (same and self._step >= FULL * (said.length or 0.0))

    def learn(self, other: Counter) -> None:
        """Take over what another one found out of more rows."""
        self._ends.learn(other._ends)
        self._others.learn(other._others, begun=self.index is not None)
        self.rows_counted = max(self.rows_counted, other.rows_counted - 1)  # one: where the ends of a sample meet

    def _compare(self, step: float, epoch: float | None, said: RowContext, *, of_epochs: bool = False) -> Standing:
        """A row that stands before the newest one: does it count on from one that waits?"""
        if self.writers.leaves_out():
            return Standing.OTHER
        place = (0.0 if epoch is None else epoch, step)
        if self._waits is None or place <= self._waits[:2]:
            self.alone = self._waits is not None and place == self._waits[:2] and not self._doubled
            self._waits = (*place, said)
            return Standing.WAITS
        (first_epoch, first, first_said), self._waits = self._waits, None
        self._begin(goes_on_through=self._global and self._length == first_said.length)
        if of_epochs:
            self._epoch, self.index, self.waited = step, step, first
        else:
            self._take(first, None if epoch is None else first_epoch, first_said)
            self.waited = self.index
            self._take(step, epoch, said)
        return Standing.AGAIN

    def _anew(self, step: float, epoch: float | None, said: RowContext) -> Standing:
        place = (0.0 if epoch is None else epoch, step)  # a row that waits there was a run: step 0 alone is none
        alone = bool(step or epoch is not None) and self._waits is not None and self._waits[:2] == place
        self._begin(goes_on_through=self._global and self.resized)
        self._take(step, epoch, said)
        self.waited = self.index if alone else None
        return Standing.ANEW

    def _is_of_another_size(self, step: float | None, epoch: float | None, size: float | None) -> bool:
        """Behind an opening: is the run to be of another length, or of steps, and is the row not where the next would be?

        What is resumed to train for longer goes on from where it was.
        """
        place, newest = (epoch, self._epoch) if step is None else (step, self._step)
        if size is None or self._size in (None, size) or None in (place, newest, self.index, self._before_it):
            return False
        if step is not None and epoch is not None and self._epoch is not None and epoch > self._epoch:
            return False
        return place - newest > max(1.0, self.index - self._before_it)  # type: ignore[operator]

    def _take(self, step: float, epoch: float | None, said: RowContext) -> Standing:
        """The row is the newest."""
        self.said.row()
        self._waits, length, before, turns = None, said.length, self.index, False
        self._doubled = self._doubled or (step == self._step and epoch in (None, self._epoch))
        if self._step is None:
            self._first_step, self._global = min(step, 1.0), self._global or runs_on(length, epoch, self._through)
        if length is not None and epoch is not None:
            if self._first_epoch is None:
                begun = Begun(epoch, step, length, of_all=said.total is not None)
                if before is None and self.loaded.from_zero(begun):  # else one before it showed it
                    self._epochs_from = 0.0
                self._first_epoch = self._epochs_from = min(epoch, self._epochs_from)
            if self._step is not None and self._epoch is not None and epoch > self._epoch:
                self._others.turns(self.place, epoch, step)
                self._anew_each |= step < self._step  # then none goes on through epochs
                on = self._global or (not said.within and self._step < min(step, FULL * length))
                self._global = not self._anew_each and (on or runs_over(self._step, step, length, self._apart))
            if self._newer(step, epoch):
                self._over += past_its_length(self._step, self._first_step, self._length, self._apart)
                self._over += (epoch - self._first_epoch) * ((self._length or length) - length)
            self._before = 0.0 if self._global else max(0.0, epoch - self._first_epoch) * length + self._over
        elif self._step is not None and step <= self._step - self._goes_on and self._newer(step, epoch):
            self._first_step, turns = min(self._first_step, step), length is None
            self.is_lower_bound |= turns and self._apart > 1
            self._others.of_a_round |= epoch is None and length is not None and length == said.total
            if turns and self._apart > max(1.0, _COARSE * self._step):
                turned, self._turned = self._turned, (self._step, self._apart)
                self.coarse |= turned == self._turned
            self._before = self.begins.turns(epoch, self._before, length or self._step + 1 - self._first_step)
        elif self._step is None:
            self._before = self.begins.of(epoch, step, within=said.within)
        self._goes_on |= bool(self._step is not None and step > self._step and epoch and self._newer(step, epoch))
        apart, self._apart = self._apart, max(0.0, step - self._step) if self._step is not None else 0.0
        self._row = min(self._row, self._apart or self._row)
        self._step, self._epoch = step, epoch if epoch is not None else self._epoch
        self._length, self._said = length if length is not None else self._length, said
        self.index = self._before + step
        self.crossed = turns and before is not None and 0 < self.index - before < apart
        self.uncounted = max(0.0, apart - 1) if turns and before is not None else 0.0
        return Standing.ON

    def _newer(self, step: float, epoch: float | None) -> bool:
        """Is the step of a later epoch than the newest row's?"""
        newest, place = (self._epoch, epoch) if epoch is not None else (step, self._step)
        return newest is not None and place is not None and place > newest
