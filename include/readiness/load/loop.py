"""The hot loop: one thread, one epoll, raw sockets; makes checkouts on time and measures them.

It aims at some 20 µs of CPU per statement, which is why it keeps attributes in locals and why some
functions are longer than elsewhere: a call costs as much as recording a latency.

Time: a checkout is due at its arrival; its response runs from there to its last reply, so waiting
for a connection, for the server or for this loop all counts. The schedule lag is the loop's own
lateness at an arrival: a server that is slow to let connections in does not put it in doubt. A
statement's service time runs from the moment before its bytes are handed to the kernel to the moment
its reply was read. The next statement that this checkout runs is due at the reply plus its own pause;
one that it leaves out costs nothing. Only what ended without error is in a histogram.
"""

from __future__ import annotations

import heapq
import itertools
import select
import ssl
import time
from collections.abc import Callable

from readiness.load.arrivals import Arrivals, Doings
from readiness.load.checkout import Checkout
from readiness.load.connections import Connection, Opened, Opener, Stock
from readiness.load.control import Control
from readiness.load.messages import WorkerReport
from readiness.load.observation import SelfObserver
from readiness.load.packets import query_packet
from readiness.load.plan import WorkerPlan, pause_ns
from readiness.load.retries import ROLLBACK, ROLLBACK_PACKET, Retries
from readiness.load.tally import SecondTally, StageTally
from readiness.model.load import Tick
from readiness.ports import CheckoutFlow, Connector

DRAIN_S = 5.0
STOP_S = 1.0  # grace for what runs when the load is stopped; the promise is 2 s
CONNECTION_LOST = 2013  # the client library's code
NOT_FINISHED = 0

_FLOOR_NS = 20_000_000
_RETRY_NS = 100_000_000
_SECOND_NS = 1_000_000_000
_CHUNK = 65536
_ON_TIME = 1.25  # of the slowest response before the drain
_BATCH = 32  # replies between two looks at the timers

_clock = time.monotonic_ns
_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Loop:
    """One worker's part of one stage; `run` may be called once.

    `on_tick` receives each second as it ends, `on_draining` the checkouts still in flight."""

    def __init__(
        self,
        flow: CheckoutFlow,
        connect: Connector,
        *,
        plan: WorkerPlan,
        first_number: int = 0,
        drain_s: float = DRAIN_S,
    ) -> None:
        # select() takes no descriptor above 1023, so the epoll comes before any socket.
        self._epoll = select.epoll()
        self._flow = flow
        self._plan = plan
        self._drain_s = drain_s
        self._numbers = itertools.count(first_number + plan.worker, plan.options.workers)
        self._next_number = first_number
        self._opener = Opener(connect, size=plan.connections)
        self._stock = Stock(self._opener.order, self._forget, limit=plan.set_limit)
        self._by_fd: dict[int, Connection] = {}
        self._active: set[Checkout] = set()
        self._timers: list[tuple[int, int, Callable[..., None], object]] = []
        self._order = itertools.count()
        self._second = SecondTally()
        self._totals = StageTally(len(flow.statement_ids))
        self._observer = SelfObserver()
        doings = Doings(self._at, self._begin, self._active.__len__)
        self._arrivals = Arrivals(plan, self._stock, self._second, doings)
        self._in_flight = self._arrivals.in_flight
        self._retries = Retries(flow.transactions, plan.options)
        self._steps = len(flow.statement_ids)
        self._lanes, self._render = flow.connections, flow.render
        self._pauses, self._is_commit = plan.pauses_ns, plan.is_commit
        mixed = (*self._retries.is_mixed, False)
        self._asks = tuple(a or b for a, b in zip(plan.may_skip, (False, *mixed), strict=False))
        # One look tells that nothing but the next statement follows a reply.
        parts = zip(plan.is_commit, flow.binds, self._asks[1:], strict=True)
        self._is_special = [any(part) for part in parts][:-1] + [True] * bool(self._steps)
        self._service = self._totals.steps
        self._ticked = 0
        self._slowest = 0
        self._hears = True
        self._measuring = self._ending = self._is_done = False
        self._stopped_by = ""

    # The run

    def run(
        self,
        start_ns: int,
        *,
        on_tick: Callable[[Tick], None],
        on_draining: Callable[[int], None],
        ear: Control,
    ) -> WorkerReport:
        """Runs the stage from `start_ns` (monotonic) until all is drained, cut or stopped, and
        closes every connection. Raises what flow or connector raise against their contract."""
        self._on_tick, self._on_draining, self._ear = on_tick, on_draining, ear
        self._start_ns = start_ns
        self._begin_stage()
        try:
            self._spin()
            self._cut()
        finally:
            self.close()
        return self._report()

    def _begin_stage(self) -> None:
        self._epoll.register(self._opener.wake_fd, select.EPOLLIN)
        self._epoll.register(self._ear.fd, select.EPOLLIN)
        self._arrivals.start(self._start_ns)
        stage = self._plan.stage
        measured_ns = self._start_ns + int((stage.ramp_s + stage.warmup_s) * 1e9)
        self._at(measured_ns, self._begin_measuring)
        self._at(self._start_ns, self._begin_seconds)
        self._at(_clock() + _FLOOR_NS, self._floor)

    def _spin(self) -> None:
        """Timers, then a wait, then replies; over and over. Long on purpose, see the module."""
        timers, poll, wait, pop = self._timers, self._epoll.poll, select.select, heapq.heappop
        epolls, none = [self._epoll], list[select.epoll]()
        by_fd, readable, ready = self._by_fd, self._readable, select.EPOLLIN
        while not self._is_done:
            now = _clock()
            while timers[0][0] <= now:
                due_ns, _, action, subject = pop(timers)
                action(due_ns, subject)
                now = _clock()
            left_ns = timers[0][0] - now
            # epoll's timeout is in whole milliseconds, so it takes most of a long wait, select the rest.
            left_ms = left_ns // 1_000_000 - 1
            if left_ns > 0 and left_ms <= 0:
                wait(epolls, none, none, left_ns / 1e9)
            for fd, mask in poll(max(left_ms, 0) / 1e3, _BATCH):
                connection = by_fd.get(fd)
                if connection is None:
                    self._woken(fd)
                elif mask == ready:
                    readable(connection)
                else:
                    self._stirred(connection, mask)

    def _woken(self, fd: int) -> None:
        if fd == self._opener.wake_fd:
            self._adopt()
        elif fd == self._ear.fd:
            self._listen()

    def _stirred(self, connection: Connection, mask: int) -> None:
        """More than a reply: room to send, or the connection's end."""
        if mask & select.EPOLLOUT:
            self._writable(connection)
        if mask & ~select.EPOLLOUT:
            self._readable(connection)

    def _at(self, due_ns: int, action: Callable[..., None], subject: object = None) -> None:
        heapq.heappush(self._timers, (due_ns, next(self._order), action, subject))

    # Statements

    def _begin(self, due_ns: int, opened: Opened) -> None:
        if opened.failed:
            self._count_failed()
            return
        number = next(self._numbers)
        self._next_number = number + 1
        checkout = Checkout(due_ns, opened, self._flow.new_values(number))
        self._active.add(checkout)
        if self._plan.may_skip[0]:
            checkout.step = self._flow.following(0, checkout.values)
        now = _clock()
        checkout.first_ns = now
        self._second.started += 1
        if checkout.step == self._steps:
            # It drew 0 for all it could do. By the timers: else each would serve the next from within.
            self._at(now, self._finish, checkout)
        else:
            self._send(now, checkout)

    def _send(self, _due_ns: int, checkout: Checkout) -> None:
        if checkout.is_over:
            return
        step = checkout.step
        connection = checkout.opened.connections[self._lanes[step]]
        if connection.is_dead:
            self._fail(checkout, "lost", CONNECTION_LOST)
        else:
            self._hand_over(checkout, connection, query_packet(self._render(step, checkout.values)))

    def _hand_over(self, checkout: Checkout, connection: Connection, packet: bytes) -> None:
        connection.awaited_by = checkout
        checkout.sent_ns = _clock()
        try:
            sent = connection.send(packet)
        except _NOT_NOW:
            sent = 0
        except OSError:
            self._fail(checkout, "lost", CONNECTION_LOST)
            return
        if sent < len(packet):
            connection.unsent = packet[sent:]
            self._epoll.modify(connection.fd, select.EPOLLIN | select.EPOLLOUT)

    def _writable(self, connection: Connection) -> None:
        try:
            sent = connection.send(connection.unsent)
        except _NOT_NOW:
            return
        except OSError:
            self._hung_up(connection)
            return
        connection.unsent = connection.unsent[sent:]
        if not connection.unsent:
            self._epoll.modify(connection.fd, select.EPOLLIN)

    def _readable(self, connection: Connection) -> None:
        if connection.is_dead:
            return
        try:
            data = connection.receive(_CHUNK)
        except _NOT_NOW:
            return
        except OSError:
            data = b""
        now = _clock()
        checkout, reader = connection.awaited_by, connection.reader
        if checkout is None or not data:
            self._hung_up(connection)  # the end, or words that nobody asked for before the end
        elif reader.feed(data):
            connection.awaited_by = None
            if reader.error_code or reader.excess or checkout.rolls_back:
                self._heard_other(checkout, connection, now)
            else:
                self._replied(checkout, now, reader.insert_id)

    def _heard_other(self, checkout: Checkout, connection: Connection, now: int) -> None:
        """What is not the plain end of a statement: an error, a ROLLBACK done, or too many bytes."""
        code = connection.reader.error_code
        if code and not checkout.rolls_back:
            self._refused(checkout, connection, now)
        elif code:
            self._fail(checkout, ROLLBACK, code)
        elif connection.reader.excess:
            self._fail(checkout, "lost", CONNECTION_LOST)
        else:
            self._try_again(checkout, now)

    def _replied(self, checkout: Checkout, now: int, insert_id: int) -> None:
        step = checkout.step
        took = now - checkout.sent_ns
        if self._measuring:
            self._service[step].record(took)
        if self._is_special[step]:
            if self._is_commit[step]:
                self._second.commit.record(took)
            if self._flow.binds[step]:
                self._flow.bind(step, checkout.values, insert_id)
            if self._asks[step + 1]:
                self._leap(checkout, step + 1, now)
                return
            if step + 1 == self._steps:
                self._finish(now, checkout)
                return
        step += 1
        checkout.step = step
        pause = self._pauses[step]
        if pause:
            self._at(now + pause, self._send, checkout)
        else:
            self._send(now, checkout)

    def _leap(self, checkout: Checkout, step: int, now: int) -> None:
        """Goes on with the first step from `step` on that this checkout does not leave out."""
        before, step = checkout.step, self._following(checkout, step)
        if step == self._steps:
            self._finish(now, checkout)
            return
        checkout.step = step
        pause = pause_ns(self._flow, self._plan.options, before, step)
        if pause:
            self._at(now + pause, self._send, checkout)
        else:
            self._send(now, checkout)

    def _following(self, checkout: Checkout, step: int) -> int:
        step = self._flow.following(step, checkout.values)
        # In another try, what other transactions did in between is done.
        while step <= checkout.again and self._retries.is_done(checkout, step):
            step = self._flow.following(step + 1, checkout.values)
        return step

    # Another try

    def _refused(self, checkout: Checkout, connection: Connection, now: int) -> None:
        """The server said no to a statement: another try of its transaction, or the end."""
        code, statement_id = connection.reader.error_code, self._flow.statement_ids[checkout.step]
        if not self._retries.may(checkout, code):
            self._fail(checkout, statement_id, code)
            return
        self._second.retried += 1
        self._totals.retries[statement_id, code] += 1
        if self._retries.is_open(checkout):
            checkout.rolls_back = True
            self._hand_over(checkout, connection, ROLLBACK_PACKET)
        else:
            self._at(now + self._retries.pause_ns(checkout), self._send, checkout)

    def _try_again(self, checkout: Checkout, now: int) -> None:
        checkout.rolls_back = False
        if self._measuring:
            self._totals.rollback.record(now - checkout.sent_ns)
        checkout.step = self._following(checkout, self._retries.first(checkout))
        self._at(now + self._retries.pause_ns(checkout), self._send, checkout)

    # The end of a checkout

    def _finish(self, now: int, checkout: Checkout) -> None:
        if checkout.is_over:
            return
        self._active.discard(checkout)
        checkout.is_over = True
        response = now - checkout.due_ns
        self._second.checkout.record(response)
        self._second.finished += self._is_on_time(response)
        self._totals.ok += 1
        if self._measuring:
            self._totals.service.record(now - checkout.first_ns)
        if self._plan.is_pooled:
            self._stock.give_back(checkout.opened)
            self._arrivals.serve()
        else:
            self._close_set(checkout.opened)
        self._arrivals.next_client(now)

    def _is_on_time(self, response: int) -> bool:
        """Whether a checkout counts as achieved: in the stage always; in the drain when it was not
        slower than those before, else a server that falls behind would look as if it kept up."""
        if not self._ending:
            self._slowest = max(self._slowest, response)
            return True
        return not self._slowest or response <= _ON_TIME * self._slowest

    def _fail(self, checkout: Checkout, statement_id: str, code: int) -> None:
        self._totals.errors[statement_id, code] += 1
        self._abandon(checkout)
        self._count_failed()

    def _abandon(self, checkout: Checkout) -> None:
        # Closing rolls the open transaction back; a set is never used again in an unknown state.
        self._active.discard(checkout)
        checkout.is_over = True
        self._close_set(checkout.opened)

    def _count_failed(self) -> None:
        self._second.finished += 1
        self._second.failed += 1
        self._totals.failed += 1
        if self._plan.is_closed_loop and not self._ending:
            self._at(_clock() + _RETRY_NS, self._arrivals.next_client)

    # Connections

    def _adopt(self) -> None:
        for opened in self._opener.take():
            for took in opened.took_ns:
                self._second.connect.record(took)
            if opened.failed:
                self._totals.errors["connect", opened.error_code] += 1
            for connection in opened.connections:
                self._by_fd[connection.fd] = connection
                self._epoll.register(connection.fd, select.EPOLLIN)
            self._stock.deliver(opened)
        self._arrivals.serve()

    def _forget(self, opened: Opened) -> None:
        for connection in opened.connections:
            self._by_fd.pop(connection.fd, None)
            connection.close()

    def _close_set(self, opened: Opened) -> None:
        self._forget(opened)
        self._stock.discard()

    def _hung_up(self, connection: Connection) -> None:
        connection.is_dead = True
        self._by_fd.pop(connection.fd, None)
        self._epoll.unregister(connection.fd)
        if connection.awaited_by is not None:
            self._fail(connection.awaited_by, "lost", CONNECTION_LOST)

    def close(self) -> None:
        """Ends the helper threads and closes all connections; `run` does so itself."""
        self._opener.close()
        self._stock.close()
        for connection in self._by_fd.values():
            connection.close()
        self._epoll.close()

    # Seconds, the end, a stop

    def _begin_measuring(self, _due_ns: int, _subject: object) -> None:
        self._measuring = True

    def _begin_seconds(self, _due_ns: int, _subject: object) -> None:
        self._observer.read()
        self._at(min(self._start_ns + _SECOND_NS, self._arrivals.end_ns), self._tick)

    def _tick(self, due_ns: int, _subject: object) -> None:
        if self._ending:
            return
        self._flush()
        if due_ns >= self._arrivals.end_ns:
            self._end(self._drain_s)
        else:
            next_ns = self._start_ns + (self._ticked + 1) * _SECOND_NS
            self._at(min(next_ns, self._arrivals.end_ns), self._tick)

    def _flush(self) -> None:
        self._on_tick(self._take_second())
        self._ticked += 1

    def _take_second(self) -> Tick:
        cpu_ratio, delay_ratio = self._observer.read()
        return self._second.take(
            self._ticked, in_flight=self._in_flight(), cpu_ratio=cpu_ratio, delay_ratio=delay_ratio
        )

    def _floor(self, due_ns: int, _subject: object) -> None:
        self._second.floor.record(_clock() - due_ns)
        self._at(due_ns + _FLOOR_NS, self._floor)
        self._listen()
        self._is_done = self._is_done or (self._ending and not self._in_flight())

    def _listen(self) -> None:
        reason = self._ear.check()
        self._arrivals.change(self._ear.changes)
        if self._hears and not self._ear.is_open:
            # A closed pipe stays readable for ever: the loop would spin on it.
            self._epoll.unregister(self._ear.fd)
            self._hears = False
        if reason and not self._stopped_by:
            self._stopped_by = reason
            if not self._ending and _clock() > self._start_ns:
                self._flush()
            self._end(STOP_S)

    def _end(self, grace_s: float) -> None:
        self._ending = True
        self._arrivals.end()
        self._at(_clock() + int(grace_s * 1e9), self._end_drain)
        self._at(_clock() + _SECOND_NS, self._tell_draining)

    def _end_drain(self, _due_ns: int, _subject: object) -> None:
        self._is_done = True

    def _tell_draining(self, due_ns: int, _subject: object) -> None:
        self._on_draining(self._in_flight())
        self._at(due_ns + _SECOND_NS, self._tell_draining)

    def _cut(self) -> None:
        """Ends what the grace did not: failed after a full drain, only cut after a stop."""
        left = self._arrivals.turn_away() + len(self._active)
        for checkout in list(self._active):
            self._abandon(checkout)
        if self._stopped_by:
            self._totals.cut += left
            return
        for _ in range(left):
            self._count_failed()
        if left:
            self._totals.errors["lost", NOT_FINISHED] += left

    def _report(self) -> WorkerReport:
        return WorkerReport(
            drain=self._take_second(),
            statements=self._totals.by_statement(self._flow.statement_ids),
            errors=dict(self._totals.errors),
            service=self._totals.service,
            ok=self._totals.ok,
            failed=self._totals.failed,
            cut=self._totals.cut,
            next_number=self._next_number,
            retries=dict(self._totals.retries),
            stopped_by=self._stopped_by,
        )
