"""Words for parts of the body and sides in other languages, as skeletons of those languages use them."""

import re
import unicodedata

_WORDS = {
    "pelvis": "becken bassin bacino 下半身",
    "spine": "wirbelsaule ruecken rucken dos espalda columna schiena coluna",
    "chest": "brust brustkorb poitrine pecho petto torace peito 上半身 上半身2",
    "neck": "hals nacken cou cuello collo pescoco 首",
    "head": "kopf tete cabeza testa cabeca 頭",
    "clavicle": "schlusselbein clavicule clavicula clavicola 肩",
    "shoulder": "schulter epaule hombro spalla ombro",
    "upperarm": "oberarm bras brazo braccio braco 腕",
    "elbow": "ellbogen ellenbogen coude codo gomito cotovelo ひじ 肘",
    "forearm": "unterarm avantbras antebrazo avambraccio antebraco",
    "wrist": "handgelenk poignet muneca polso pulso punho 手首",
    "hand": "main mano mao",
    "hip": "hufte huefte hanche cadera anca quadril 足",
    "thigh": "oberschenkel cuisse muslo coscia coxa",
    "knee": "knie genou rodilla ginocchio joelho ひざ 膝",
    "shin": "unterschenkel schienbein jambe mollet pierna pantorrilla stinco gamba canela perna",
    "ankle": "knochel knoechel sprunggelenk cheville tobillo caviglia tornozelo 足首",
    "foot": "fuss pied pie piede pe",
    "toe": "zehe zehen orteil orteils dedos つま先",
}
_ENGLISH = {word: english for english, words in _WORDS.items() for word in words.split()}

_LEFT_WORDS = "links linke linkes linker gauche izquierda izquierdo izq sinistra sinistro esquerda esquerdo 左"
_RIGHT_WORDS = "rechts rechte rechtes rechter droite droit derecha derecho der destra destro direita direito 右"
_LEFT, _RIGHT = _LEFT_WORDS.split(), _RIGHT_WORDS.split()


def in_english(name: str) -> str:
    """A name with its side and its words in English; as it is, if it is not known in another language.

    "Linkes_Knie" becomes "left_knee", "左ひざ" becomes "left_knee", "LeftKnee" stays.
    """
    plain = name.replace("ß", "ss")
    plain = "".join(c for c in unicodedata.normalize("NFD", plain) if not "\u0300" <= c <= "\u036f")
    plain = unicodedata.normalize("NFC", plain)
    words = re.findall(r"[左右]|[^\W\d_左右]+[0-9]*|[0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", plain))
    sides = [k for k, word in enumerate(words) if word.lower() in _LEFT or word.lower() in _RIGHT]
    side = "" if not sides else "left_" if words[sides[0]].lower() in _LEFT else "right_"
    rest = "".join(word for k, word in enumerate(words) if k not in sides[:1]).lower()
    found = _ENGLISH.get(rest)
    if found is None:
        return f"{side}{rest}" if side else name
    return side + found if side else _with_own_side(plain, found)


def _with_own_side(name: str, word: str) -> str:
    """A word with the side that a name has in another notation: "Knie.L" becomes "knee.L"."""
    ends = re.match(r"^(?:(?P<first>[LlRr])[_ .:-])?.*?(?:[_ .:-](?P<last>[LlRr]))?$", name)
    side = (ends["first"] or ends["last"]) if ends else None
    return f"{word}.{side}" if side else word
