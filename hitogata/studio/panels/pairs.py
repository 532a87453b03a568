"""The table of links: which link of the figure follows which link of the file a motion came from."""

from typing import TYPE_CHECKING, Any

from hitogata.errors import ArgumentError
from hitogata.studio.panels.bindings import Panel
from hitogata.studio.sources import Carried, carry_over

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

NONE = "–"
"""Of a link that follows none."""


class PairsPanel(Panel):
    """A row for each link of the figure; the motion is carried over anew when one asks for it."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        self.folder = self.gui.add_folder("Links that follow", expand_by_default=False, visible=False)
        self.rows: dict[str, Any] = {}
        self._others: list[Any] = []
        self._shown: Carried | None = None

    def refresh(self) -> None:
        """See `Panel`."""
        carried = self.studio.carried_now()
        self.folder.visible = carried is not None
        if carried is self._shown:
            return
        self._shown = carried
        for handle in (*self.rows.values(), *self._others):
            handle.remove()
        self.rows, self._others = {}, []
        if carried is not None:
            with self.folder:
                self._add(carried)

    def _add(self, carried: Carried) -> None:
        names = (NONE, *carried.bvh.names)
        refused = f"**Not taken**: {carried.how.splitlines()[0]}"
        note = refused if carried.motion is None else f"Found by {carried.how}."
        self._others = [self.gui.add_markdown(note)]
        for name in carried.figure.link_names:
            self.rows[name] = self.gui.add_dropdown(name, names, initial_value=carried.pairs.get(name, NONE))
        again = self.button_for("Carry over again", self._carry, icon="repeat", hint="With the links chosen above")
        self._others.append(again)

    def _carry(self, client: Any) -> None:
        carried, figure = self._shown, self.studio.stage.figure
        if carried is None:
            raise ArgumentError("there is no motion of a file")
        chosen = {name: None if row.value == NONE else row.value for name, row in self.rows.items()}
        if not any(chosen.values()):
            raise ArgumentError("every link follows none: choose at least one")
        again = carry_over(carried.bvh, figure, chosen)
        self.studio.post("Carry over again", lambda: self.studio.show_carried(again))
