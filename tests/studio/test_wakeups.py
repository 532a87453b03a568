"""Events that threads set while a loop waits for them."""

import asyncio
import threading

import pytest

pytest.importorskip("viser", reason="needs viser: pip install 'hitogata[studio]'")

from hitogata.studio.wakeups import LoopEvent, use_loop_events


def in_a_thread(act):
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


def test_other_threads_raise_the_flag_and_the_loop_wakes():
    async def run():
        event, loop = LoopEvent(), asyncio.get_running_loop()
        waits = [asyncio.ensure_future(event.wait()) for _ in range(3)]
        await asyncio.sleep(0)
        before = list(event._waiters)
        in_a_thread(event.set)
        assert event.is_set()
        assert len(before) == 3
        assert not any(waiter.done() for waiter in before)  # asyncio.Event touches them from here
        in_a_thread(lambda: loop.call_soon_threadsafe(event.set))
        await asyncio.wait_for(asyncio.gather(*waits), 20)
        event.clear()
        assert not event.is_set()

    asyncio.run(run())


def test_no_message_is_lost_while_threads_send():
    """Whoever waits sees every flag, however sending and waiting fall together."""

    async def run():
        event, loop, seen = LoopEvent(), asyncio.get_running_loop(), [0]
        sent, wrong = [0], []

        def send():
            try:
                for _ in range(3000):
                    sent[0] += 1
                    event.set()
                    loop.call_soon_threadsafe(event.set)
            except RuntimeError as error:
                wrong.append(error)

        thread = threading.Thread(target=send)
        thread.start()
        while seen[0] < 3000:
            await asyncio.wait_for(event.wait(), 60)
            event.clear()
            seen[0] = sent[0]
        thread.join()
        assert wrong == []

    asyncio.run(run())


def test_buffers_of_messages_have_them():
    from viser.infra._async_message_buffer import AsyncMessageBuffer

    use_loop_events()
    use_loop_events()
    loop = asyncio.new_event_loop()
    buffer = AsyncMessageBuffer(loop, persistent_messages=False)
    assert type(buffer.message_event) is type(buffer.flush_event) is LoopEvent
    loop.close()
