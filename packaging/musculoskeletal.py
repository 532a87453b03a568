"""Makes the tables of `hitogata/library/musculoskeletal/` from published models: where each number comes from.

    python packaging/musculoskeletal.py SOURCES

SOURCES holds what the models say in their neutral pose, as tables (x forward, y up, z right, metres): `muscle_paths`
(points of every muscle on its bodies), `wraps_osim`, `joint_centres_osim`, `muscles_366` (which element of which model
becomes which muscle, strengths summed over merged fascicles) and `foot_by_hand`; beside them the jaw's landmarks and
the MASS body.  Each model is brought to one skeleton bone by bone: a bone's first joint centre to ours, its axis along
ours, its length to ours.  Forces are brought to one specific tension.  The result is written bone by bone: millimetres
from the bone's joint, x forward, y left, z up, right side only.
"""

import csv
import re
import sys
from pathlib import Path

import numpy as np

OUT = Path(__file__).parents[1] / "hitogata" / "library" / "musculoskeletal"
TENSION = 60.0
"""Specific tension of all muscles [N/cm²]."""

STRENGTH = {"leg": 0.52, "foot": 0.52, "shoulder": 2.0, "arm": 1.5}
"""Factors that bring the joints of a region to published strengths: areas come from bodies of different build."""

V = np.array
# ------------------------------------------------------- the master skeleton: joint centres [m], x forward, y up, z right  # noqa: E501
LIFT = V([0.0, 0.01, 0.0])
TRUNK = ["L5", "L4", "L3", "L2", "L1", *(f"T{k}" for k in range(12, 0, -1))]
SPINE = dict(
    zip(
        TRUNK,
        [
            (-83.0, 1001.0),
            (-68.815, 1037.952),
            (-66.889, 1074.704),
            (-72.641, 1111.015),
            (-82.027, 1143.75),
            (-95.324, 1176.662),
            (-106.897, 1208.458),
            (-115.041, 1236.858),
            (-120.574, 1265.325),
            (-123.637, 1290.273),
            (-124.496, 1314.873),
            (-122.687, 1340.744),
            (-118.229, 1366.026),
            (-110.989, 1391.275),
            (-101.821, 1413.968),
            (-92.084, 1433.93),
            (-82.257, 1451.659),
        ],
        strict=True,
    )
)
NECK = {
    "C7": (-47.5, 361.3),
    "C6": (-41.084, 379.335),
    "C5": (-40.653, 393.15),
    "C4": (-37.893, 408.75),
    "C3": (-35.593, 426.85),
    "C2": (-35.053, 440.93),
    "C1": (-33.593, 473.44),
    "skull": (-32.693, 484.84),
}
HYOID_SHIFT = V([-0.0305, 1.1113, 0.0])


def jaw_to_master(p):
    """Landmarks of the jaw's model [mm, x left, y back, z up], the right side, in the master frame."""
    x, y, z = V(p) / 1000
    a = np.radians(-10.4)
    p = 0.983 * V([-y * np.cos(a) - z * np.sin(a), -y * np.sin(a) + z * np.cos(a), x])
    return p + V([0.0032, 0.4116, 0.0016]) + HYOID_SHIFT


CENTRES = {
    "pelvis": V([0.0, 0.95, 0.0]),
    **{name: V([x / 1000, y / 1000, 0.0]) for name, (x, y) in SPINE.items()},
    **{name: V([x / 1000, y / 1000, 0.0]) + HYOID_SHIFT for name, (x, y) in NECK.items()},
    "clavicle": V([-0.007243, 1.417588, 0.0335]),
    "scapula": V([-0.057552, 1.433865, 0.160708]),
    "humerus": V([-0.063661, 1.399298, 0.170506]),
    "ulna": V([-0.036506, 1.110127, 0.157721]),
    "radius": V([-0.033493, 1.098821, 0.177609]),
    "hand": V([0.00503, 0.859062, 0.200945]),
    "femur": V([-0.056276, 0.86151, 0.07726]) + LIFT,
    "tibia": V([-0.060787, 0.451883, 0.075513]) + LIFT,
    "patella": V([-0.011966, 0.44275, 0.07726]) + LIFT,
    "talus": V([-0.062698, 0.055418, 0.076997]) + LIFT,
    "foot": V([-0.111468, 0.013468, 0.084917]) + LIFT,
    "toes": V([0.067332, 0.011468, 0.085997]) + LIFT,
}
TMJ = jaw_to_master((51.778, 31.45, 83.637))
CENTRES["jaw"] = V([TMJ[0], TMJ[1], 0.0])
PAIRED = (
    "clavicle",
    "scapula",
    "humerus",
    "ulna",
    "radius",
    "hand",
    "femur",
    "tibia",
    "patella",
    "talus",
    "foot",
    "toes",
)


def aligned(start, end, to_start, to_end, scale=None):
    """The similarity that takes one line to another by the least turn."""
    a, b = end - start, to_end - to_start
    s = np.linalg.norm(b) / np.linalg.norm(a) if scale is None else scale
    u, w = a / np.linalg.norm(a), b / np.linalg.norm(b)
    v, c = np.cross(u, w), u @ w
    K = V([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    R = np.eye(3) + K + K @ K / (1 + c)
    return lambda p: to_start + s * R @ (p - start)


def shifted(by):
    return lambda p: p + by


def about(start, to_start, scale):
    return lambda p: to_start + scale * (p - start)


C = CENTRES
S_GH, S_SC, S_AC, S_EL = (
    V([-0.057157, -0.014791, 0.146331]),
    V([0.001622, 0.007883, 0.025434]),
    V([-0.0476, 0.0192, 0.1370]),
    V([-0.045522, -0.299132, 0.205799]),
)
W_EL, W_WR = V([0.0127, -0.274, 0.0389]), V([-0.003224, -0.504508, 0.12004])
A_GH, A_EL = V([-0.017545, -0.007, 0.17]), V([-0.011445, -0.2974, 0.1577])
L_HIP, L_KNEE, L_ANK = (
    V([-0.067298, 0.885759, 0.092392]),
    V([-0.066849, 0.511577, 0.091221]),
    V([-0.076932, 0.10827, 0.091221]),
)
FOREARM = aligned(W_EL, W_WR, C["ulna"], C["hand"])
UPPER_ARM = aligned(A_GH, A_EL, C["humerus"], C["ulna"])
MAPS = {
    "rajlai": {"*": shifted(LIFT)},
    "hyoid": {"*": shifted(HYOID_SHIFT), "rclavicle": about(V([-0.0118, 0.3353, 0.022]), C["clavicle"], 1.0)},
    "cyclist": {"*": shifted(V([0.035, 0.0, 0.0]))},
    "mshuman700": {"*": shifted(V([0.0, 0.0, 0.0]))},
    "shoulder": {
        "thorax": shifted(V([-0.0088, 1.4097, 0.0])),
        "clavicle": aligned(S_SC, S_AC, C["clavicle"], C["scapula"]),
        "scapula": about(S_GH, C["humerus"], 1.096),
        "humerus": aligned(S_GH, S_EL, C["humerus"], C["ulna"]),
        "*": shifted(V([0.0, 0.0, 0.0])),
    },
    "arm26": {
        "ground": about(A_GH, C["humerus"], 1.0),
        "r_humerus": UPPER_ARM,
        "r_ulna_radius_hand": about(A_EL, C["ulna"], 1.0),
    },
    "wrist": {"ground": about(W_EL, C["ulna"], 1.0), "*": FOREARM},
    "lenhart": {
        "pelvis": about(L_HIP, C["femur"], 1.0),
        "femur_r": aligned(L_HIP, L_KNEE, C["femur"], C["tibia"]),
        "tibia_r": aligned(L_KNEE, L_ANK, C["tibia"], C["talus"]),
        "calcn_r": about(L_ANK, C["talus"], 1.0),
        "*": about(L_HIP, C["femur"], 1.0),
    },
}
GROUPS = {
    "pelvis": "pelvis",
    "sacrum": "pelvis",
    "Abdomen": "pelvis",
    "femur_r": "femur",
    "tibia_r": "tibia",
    "patella_r": "patella",
    "talus_r": "talus",
    "calcn_r": "foot",
    "toes_r": "toes",
    "clavicle": "clavicle",
    "scapula": "scapula",
    "humerus": "humerus",
    "r_humerus": "humerus",
    "radius": "radius",
    "ulna": "ulna",
    "rclavicle": "clavicle",
    "humerus_r": "humerus",
}
for k in range(1, 6):
    GROUPS[f"lumbar{k}"] = f"L{k}"
for k in range(1, 13):
    GROUPS[f"thoracic{k}"] = GROUPS[f"rib{k}_R"] = f"T{k}"
SIGMA = {
    "artisynth_jaw": 40,
    "hyoid": 47,
    "shoulder": 140,
    "arm26": 140,
    "wrist": 30,
    "cyclist": 100,
    "mshuman700": 100,
    "rajlai": 60,
    "lenhart": 61,
}
SOURCE = {
    "artisynth_jaw": "Hannam 2008 (ArtiSynth)",
    "hyoid": "Mortensen 2018 (HYOID 1.2)",
    "shoulder": "Seth 2019 (Thoracoscapular)",
    "arm26": "Delp, Holzbaur (arm26)",
    "wrist": "Gonzalez 1997 (wrist)",
    "cyclist": "Bruno 2015, Allaire 2020 (thoracolumbar)",
    "mshuman700": "MS-Human-700",
    "rajlai": "Rajagopal 2016, Lai 2017, Uhlrich 2022",
    "lenhart": "Lenhart 2015",
    "mass": "points: MASS (Lee 2019)",
    "textbook": "points: anatomy",
}
WRIST_HAND = (
    "metacarpal",
    "capitate",
    "trapez",
    "hamate",
    "triquetrum",
    "scaphoid",
    "thumb",
    "finger",
    "phalanx",
    "pisiform",
    "lunate",
)

# ------------------------------------------------------- names of muscles
NAMES = {
    "triceps_lat": "triceps_lateral",
    "triceps_med": "triceps_medial",
    "TrapeziusClavicle_S": "trapezius_clavicle",
    "TrapeziusScapula_S": "trapezius_upper",
    "TrapeziusScapula_M": "trapezius_middle",
    "TrapeziusScapula_I": "trapezius_lower",
    "LevatorScapulae": "levator_scapulae",
    "Rhomboideus_S": "rhomboid_minor",
    "Rhomboideus_I": "rhomboid_major",
    "SerratusAnterior_S": "serratus_anterior_upper",
    "SerratusAnterior_M": "serratus_anterior_middle",
    "SerratusAnterior_I": "serratus_anterior_lower",
    "PectoralisMinor": "pectoralis_minor",
    "Coracobrachialis": "coracobrachialis",
    "DeltoideusClavicle_A": "deltoid_anterior",
    "DeltoideusScapula_M": "deltoid_middle",
    "DeltoideusScapula_P": "deltoid_posterior",
    "LatissimusDorsi_S": "latissimus_upper",
    "LatissimusDorsi_M": "latissimus_middle",
    "LatissimusDorsi_I": "latissimus_lower",
    "PectoralisMajorClavicle_S": "pectoralis_major_clavicle",
    "PectoralisMajorThorax_M": "pectoralis_major_middle",
    "PectoralisMajorThorax_I": "pectoralis_major_lower",
    "TeresMajor": "teres_major",
    "TeresMinor": "teres_minor",
    "Infraspinatus_S": "infraspinatus_upper",
    "Infraspinatus_I": "infraspinatus_lower",
    "Supraspinatus_A": "supraspinatus_anterior",
    "Supraspinatus_P": "supraspinatus_posterior",
    "Subscapularis_S": "subscapularis_upper",
    "Subscapularis_M": "subscapularis_middle",
    "Subscapularis_I": "subscapularis_lower",
    "addbrev": "adductor_brevis",
    "addlong": "adductor_longus",
    "addmagProx": "adductor_magnus_proximal",
    "addmagMid": "adductor_magnus_middle",
    "addmagDist": "adductor_magnus_distal",
    "addmagIsch": "adductor_magnus_ischial",
    "grac": "gracilis",
    "glmax1": "gluteus_maximus_upper",
    "glmax2": "gluteus_maximus_middle",
    "glmax3": "gluteus_maximus_lower",
    "glmed1": "gluteus_medius_anterior",
    "glmed2": "gluteus_medius_middle",
    "glmed3": "gluteus_medius_posterior",
    "glmin1": "gluteus_minimus_anterior",
    "glmin2": "gluteus_minimus_middle",
    "glmin3": "gluteus_minimus_posterior",
    "piri": "piriformis",
    "tfl": "tensor_fasciae_latae",
    "sart": "sartorius",
    "recfem": "rectus_femoris",
    "bflh": "biceps_femoris_long",
    "bfsh": "biceps_femoris_short",
    "semimem": "semimembranosus",
    "semiten": "semitendinosus",
    "vasint": "vastus_intermedius",
    "vaslat": "vastus_lateralis",
    "vasmed": "vastus_medialis",
    "gaslat": "gastrocnemius_lateral",
    "gasmed": "gastrocnemius_medial",
    "tibant": "tibialis_anterior",
    "tibpost": "tibialis_posterior",
    "perlong": "peroneus_longus",
    "perbrev": "peroneus_brevis",
    "pertert": "peroneus_tertius",
    "pect": "pectineus",
    "quadfem": "quadratus_femoris",
    "stern_mast": "sternomastoid",
    "cleid_mast": "cleidomastoid",
    "cleid_occ": "cleido_occipital",
    "scalenus_ant": "scalenus_anterior",
    "scalenus_med": "scalenus_medius",
    "scalenus_post": "scalenus_posterior",
    "long_cap_sklc4": "longus_capitis",
    "long_col_c1thx": "longus_colli_C1_T3",
    "long_col_c1c5": "longus_colli_C1_C5",
    "long_col_c5thx": "longus_colli_C5_T3",
    "splen_cap_sklc6": "splenius_capitis_C6",
    "splen_cap_sklthx": "splenius_capitis_T2",
    "splen_cerv_c3thx": "splenius_cervicis",
    "semi_cap_sklc5": "semispinalis_capitis_C5",
    "semi_cap_sklthx": "semispinalis_capitis_T1",
    "semi_cerv_c3thx": "semispinalis_cervicis",
    "longissi_cap_sklc6": "longissimus_capitis",
    "longissi_cerv_c4thx": "longissimus_cervicis",
    "iliocost_cerv_c5rib": "iliocostalis_cervicis",
    "rectcap_post_maj": "rectus_capitis_posterior_major",
    "rectcap_post_min": "rectus_capitis_posterior_minor",
    "obl_cap_sup": "obliquus_capitis_superior",
    "obl_cap_inf": "obliquus_capitis_inferior",
    "pterygoid_med": "pterygoid_medial",
    "pterygoid_lat": "pterygoid_lateral",
    "digastric_ant": "digastric_anterior",
    "digastric_post": "digastric_posterior",
    "temporalis_ant": "temporalis_anterior",
    "temporalis_post": "temporalis_posterior",
    "rectus_abdominis": "rectus_abdominis",
    "QL_post_I_1-L3": "quadratus_lumborum_L3",
    "QL_mid_L3-12_3": "quadratus_lumborum_T12_L3",
    "QL_mid_L4-12_3": "quadratus_lumborum_T12_L4",
    "obturator_int": "obturator_internus",
    "obturator_ext": "obturator_externus",
    "gemellus_sup": "gemellus_superior",
    "gemellus_inf": "gemellus_inferior",
    "ehl": "extensor_hallucis_longus",
    "edl": "extensor_digitorum_longus",
    "fhl": "flexor_hallucis_longus",
    "fdl": "flexor_digitorum_longus",
    "serratus_post_inf": "serratus_posterior_inferior",
    "longissimus_lumb_L3": "longissimus_lumborum_L3",
    "longissimus_lumb_L4": "longissimus_lumborum_L4",
    "longissimus_lumb_L5": "longissimus_lumborum_L5",
    "ECRL": "extensor_carpi_radialis_longus",
    "ECRB": "extensor_carpi_radialis_brevis",
    "ECU": "extensor_carpi_ulnaris",
    "FCR": "flexor_carpi_radialis",
    "FCU": "flexor_carpi_ulnaris",
    "PL": "palmaris_longus",
    "FDS": "flexor_digitorum_superficialis",
    "FDP": "flexor_digitorum_profundus",
    "EDC": "extensor_digitorum",
    "EDM": "extensor_digiti_minimi",
    "EIP": "extensor_indicis",
    "EPL": "extensor_pollicis_longus",
    "EPB": "extensor_pollicis_brevis",
    "APL": "abductor_pollicis_longus",
    "FPL": "flexor_pollicis_longus",
}


def named(name):
    """Our name of a muscle of the list."""
    found = NAMES.get(name, name)
    found = re.sub(r"^longissimus_thor_", "longissimus_thoracis_", found)
    found = re.sub(r"^ext_oblique_", "external_oblique_", found)
    return re.sub(r"^int_oblique_", "internal_oblique_", found)


ACTIONS = [  # pattern of names: what textbooks say the muscle does, if it pulls alone
    ("temporalis_posterior", "jaw closing; jaw retrusion"),
    ("temporalis|masseter|pterygoid_medial", "jaw closing"),
    ("pterygoid_lateral", "jaw protrusion"),
    ("digastric_anterior", "jaw opening"),
    ("geniohyoid", "jaw opening"),
    ("digastric_posterior|mylohyoid|stylohyoid", "hyoid elevation"),
    ("sternohyoid|sternothyroid|omohyoid", "hyoid depression"),
    ("sternomastoid|cleidomastoid|cleido_occipital", "neck side bend; neck rotation opposite"),
    ("scalenus", "neck side bend"),
    ("longus", "neck flexion"),
    ("splenius", "neck extension; neck rotation same"),
    ("semispinalis", "neck extension"),
    ("longissimus_c|iliocostalis_cervicis", "neck extension; neck side bend"),
    ("rectus_capitis_posterior_major", "neck extension; neck rotation same"),
    ("rectus_capitis", "neck extension"),
    ("obliquus_capitis_superior", "neck extension; neck side bend"),
    ("obliquus_capitis_inferior", "neck rotation same"),
    ("trapezius_clavicle", "neck extension; neck rotation opposite; scapula elevation"),
    ("trapezius_upper", "scapula elevation"),
    ("trapezius_middle", "scapula retraction"),
    ("trapezius_lower", "scapula depression; scapula retraction"),
    ("levator_scapulae", "scapula elevation"),
    ("rhomboid", "scapula retraction"),
    ("serratus_anterior", "scapula protraction"),
    ("pectoralis_minor", "scapula depression; scapula protraction"),
    ("subclavius", "scapula depression"),
    ("coracobrachialis", "shoulder flexion; shoulder adduction"),
    ("deltoid_anterior", "shoulder flexion"),
    ("deltoid_middle", "shoulder abduction"),
    ("deltoid_posterior", "shoulder extension"),
    ("latissimus|teres_major", "shoulder extension; shoulder adduction; shoulder internal rotation"),
    ("pectoralis_major_clavicle", "shoulder flexion; shoulder adduction; shoulder internal rotation"),
    ("pectoralis_major", "shoulder adduction; shoulder internal rotation"),
    ("teres_minor|infraspinatus", "shoulder external rotation"),
    ("supraspinatus", "shoulder abduction"),
    ("subscapularis", "shoulder internal rotation"),
    ("biceps_long|biceps_short", "elbow flexion; forearm supination"),
    ("triceps_long", "elbow extension; shoulder extension"),
    ("triceps|anconeus", "elbow extension"),
    ("brachialis|brachioradialis", "elbow flexion"),
    ("supinator", "forearm supination"),
    ("pronator_teres", "forearm pronation; elbow flexion"),
    ("pronator_quadratus", "forearm pronation"),
    ("extensor_carpi_radialis", "wrist extension; radial deviation"),
    ("extensor_carpi_ulnaris", "wrist extension; ulnar deviation"),
    ("flexor_carpi_radialis", "wrist flexion; radial deviation"),
    ("flexor_carpi_ulnaris", "wrist flexion; ulnar deviation"),
    ("palmaris|flexor_digitorum_superficialis|flexor_digitorum_profundus|flexor_pollicis", "wrist flexion"),
    ("extensor_pollicis_brevis|abductor_pollicis", "radial deviation"),
    ("extensor_digitorum$|extensor_digiti|extensor_indicis|extensor_pollicis_longus", "wrist extension"),
    ("rectus_abdominis", "trunk flexion"),
    ("external_oblique", "trunk flexion; trunk side bend; trunk rotation opposite"),
    ("internal_oblique", "trunk flexion; trunk side bend; trunk rotation same"),
    ("transversus", "trunk rotation opposite"),
    ("quadratus_lumborum", "trunk extension; trunk side bend"),
    ("multifidus", "trunk extension; trunk rotation opposite"),
    ("longissimus|iliocostalis", "trunk extension; trunk side bend"),
    ("serratus_posterior", "trunk extension; trunk rotation same"),
    ("psoas|iliacus", "hip flexion"),
    ("adductor", "hip adduction"),
    ("gracilis", "hip adduction; knee flexion"),
    ("gluteus_maximus", "hip extension; hip external rotation"),
    ("gluteus_medius_anterior|gluteus_minimus_anterior", "hip abduction; hip internal rotation"),
    ("gluteus_medius_posterior", "hip abduction; hip extension; hip external rotation"),
    ("gluteus", "hip abduction"),
    ("piriformis", "hip external rotation; hip abduction"),
    ("tensor", "hip flexion; hip abduction; hip internal rotation"),
    ("sartorius", "hip flexion; hip abduction; knee flexion"),
    ("rectus_femoris", "hip flexion; knee extension"),
    ("biceps_femoris_long|semi", "hip extension; knee flexion"),
    ("biceps_femoris_short|popliteus", "knee flexion"),
    ("vastus", "knee extension"),
    ("gastrocnemius|plantaris", "ankle plantarflexion; knee flexion"),
    ("soleus", "ankle plantarflexion"),
    ("tibialis_anterior", "ankle dorsiflexion; foot inversion"),
    ("tibialis_posterior", "ankle plantarflexion; foot inversion"),
    ("extensor_hallucis", "ankle dorsiflexion; toe extension"),
    ("extensor_digitorum_longus", "ankle dorsiflexion; toe extension; foot eversion"),
    ("flexor_hallucis|flexor_digitorum_longus", "ankle plantarflexion; toe flexion; foot inversion"),
    ("peroneus_tertius", "ankle dorsiflexion; foot eversion"),
    ("peroneus", "ankle plantarflexion; foot eversion"),
    ("pectineus", "hip adduction; hip flexion"),
    ("quadratus_femoris|gemellus|obturator", "hip external rotation"),
    ("abductor_hallucis|flexor_digitorum_brevis|quadratus_plantae", "toe flexion"),
    ("extensor_digitorum_brevis", "toe extension"),
]


def actions(name):
    """What textbooks say of a muscle (Gray's Anatomy)."""
    return next(text for pattern, text in ACTIONS if re.match(pattern, name))


# ------------------------------------------------------- points placed by hand from anatomy [m from the joint centre of a bone]  # noqa: E501
E, R_, H = C["ulna"], C["radius"], C["humerus"]


def along_forearm(share, forward, right):
    """A point beside the radius: share of the way from its head to the wrist."""
    return R_ + share * (C["hand"] - R_) + V([forward, 0.0, right])


PLACED = {  # muscle: N at TENSION, fibre m, pennation deg, fibre at neutral, points, source of the numbers
    "anconeus": (
        350,
        0.027,
        0,
        0.9,
        [("humerus", E + V([-0.012, 0.004, 0.026])), ("ulna", E + V([-0.026, -0.028, 0.010]))],
    ),
    "supinator": (
        476,
        0.033,
        0,
        0.8,
        [
            ("ulna", E + V([-0.018, -0.028, 0.008])),
            ("radius", R_ + V([-0.013, -0.030, 0.010])),
            ("radius", R_ + V([0.009, -0.056, 0.014])),
        ],
    ),
    "pronator_teres": (
        566,
        0.049,
        10,
        1.25,
        [
            ("humerus", E + V([0.006, 0.014, -0.030])),
            ("radius", along_forearm(0.33, 0.020, -0.006)),
            ("radius", along_forearm(0.45, 0.004, 0.014)),
        ],
    ),
    "pronator_quadratus": (
        284.7,
        0.028,
        10,
        1.3,
        [("ulna", along_forearm(0.84, 0.006, -0.032)), ("radius", along_forearm(0.86, 0.016, 0.006))],
    ),
    "brachioradialis": (
        261,
        0.173,
        0,
        1.0,
        [
            ("humerus", E + V([0.002, 0.095, 0.012])),
            ("radius", along_forearm(0.42, 0.026, 0.010)),
            ("radius", along_forearm(0.93, 0.006, 0.016)),
        ],
    ),
    "subclavius": (
        126,
        0.04,
        0,
        1.0,
        [
            ("T1", C["clavicle"] + V([-0.010, -0.022, 0.016])),
            ("clavicle", C["clavicle"] + 0.5 * (C["scapula"] - C["clavicle"]) + V([0.0, -0.008, 0.0])),
        ],
    ),
    "serratus_posterior_inferior": (
        120,
        0.06,
        0,
        1.0,
        [("L2", C["L2"] + V([-0.082, 0.008, 0.004])), ("T12", V([-0.155, 1.160, 0.075]))],
    ),
}
DEEP = {  # of the MASS body: N, fibre m (two longer than measured, with room for their motion), pennation deg
    "gemellus_superior": (246, 0.029, 0),
    "gemellus_inferior": (246, 0.038, 0),
    "obturator_internus": (1524, 0.045, 0),
    "obturator_externus": (1806, 0.041, 0),
    "popliteus": (642, 0.023, 0),
    "plantaris": (144, 0.043, 0),
}
FOOT = {
    "abductor_hallucis": (402, 0.023, 15),
    "flexor_digitorum_brevis": (216, 0.025, 10),
    "quadratus_plantae": (204, 0.027, 10),
    "extensor_digitorum_brevis": (126, 0.025, 10),
}
MOVED = {  # points that the registration puts off their bone by more than 15 mm: where anatomy has them [mm, our axes]
    ("trapezius_clavicle", 0): "skull -80.0 -15.0 18.0",
    ("trapezius_upper", 0): "T1 -45.0 -2.0 14.0",
    ("trapezius_middle", 0): "T3 -50.0 -2.0 6.0",
    ("trapezius_lower", 0): "T8 -53.0 -2.0 -4.0",
    ("levator_scapulae", 0): "C2 -10.0 -28.0 0.0",
    ("rhomboid_minor", 0): "T1 -45.0 -2.0 10.0",
    ("rhomboid_major", 0): "T3 -50.0 -2.0 0.0",
    ("latissimus_upper", 0): "T7 -54.0 -3.0 -8.0",
    ("latissimus_middle", 0): "T11 -52.0 -3.0 -2.0",
    ("semispinalis_cervicis", 1): "C3 -45.0 -2.4 5.8",
    ("internal_oblique_4", 1): "pelvis -40.0 -125.0 36.0",
    ("internal_oblique_6", 1): "pelvis -85.0 -110.0 62.0",
    ("external_oblique_10", 0): "pelvis -25.0 -128.0 22.0",
    **{(f"psoas_{k}", 1): "pelvis -20.5 -65.6 -65.4" for k in ("L1", "L2", "L5")},
    ("biceps_long", 8): "radius 8.0 8.0 -40.0",
    ("biceps_short", 5): "radius 8.0 8.0 -40.0",
}
WALL = {  # where fibres reach the midline, on the level of the trunk that the wall moves with [mm, our axes]
    "external_oblique_5": "T10 160.0 0.0 10.0",
    "external_oblique_7": "L3 104.0 0.0 20.0",
    "external_oblique_8": "L5 112.0 0.0 30.0",
    "transversus_1": "L1 116.0 -32.6 6.0",
}
PUBIS = "pelvis 2.0 -6.0 -90.0"
FIBRES = {"pterygoid_lateral": 0.0315}
NEUTRAL = {  # fibre at neutral, where the models' own leave no room for the joints' motion
    "gemellus_inferior": 0.90,
    "obturator_internus": 0.95,
    "teres_minor": 0.85,
    "infraspinatus_upper": 0.85,
    "infraspinatus_lower": 0.85,
}
NUMBERS = {
    "PLACED": "Holzbaur 2005 Table 1",
    "pronator_quadratus": "Saul 2015",
    "subclavius": "van der Helm 1994",
    "serratus_posterior_inferior": "estimate",
    "DEEP": "Klein Horsman 2007",
    "FOOT": "Kura 1997, Ledoux 2001",
}


def mass_points(folder, unit):
    """Points of a muscle of the MASS body (x left, y up, z forward), on our bones."""
    text = (folder / "muscle284.xml").read_text()
    block = re.search(rf'<Unit name="{unit}".*?</Unit>', text, re.S).group(0)
    human = (folder / "human.xml").read_text()

    def joint(name):
        node = re.search(rf'<Node name="{name}".*?</Node>', human, re.S).group(0)
        x, y, z = map(float, re.findall(r'<Joint.*?translation="([^"]*)"', node, re.S)[0].split())
        return V([z, y, -x])

    hip, knee, ankle = joint("FemurR"), joint("TibiaR"), joint("TalusR")
    maps = {
        "Pelvis": ("pelvis", about(hip, C["femur"], 1.0)),
        "FemurR": ("femur", aligned(hip, knee, C["femur"], C["tibia"])),
        "TibiaR": ("tibia", aligned(knee, ankle, C["tibia"], C["talus"])),
        "TalusR": ("foot", about(ankle, C["talus"], 1.0)),
    }
    points = []
    for body, text in re.findall(r'<Waypoint body="(\w+)" p="([^"]*)"', block):
        x, y, z = map(float, text.split())
        bone, move = maps[body]
        points.append((bone, move(V([z, y, -x]))))
    return points


def read(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def bone_of_points(points, groups, model):
    """The bone of each point, in the order of the list's bones; trunk points go to the nearest level."""
    options = [g.removesuffix("_r") for g in groups]

    def cost(point, bone):
        body, p = point
        fixed = GROUPS.get(body)
        if model == "hyoid" and re.fullmatch(r"cerv\d", body):
            fixed = f"C{body[4]}"
        if any(part in body for part in WRIST_HAND):
            fixed = "hand"
        if model == "wrist" and body == "ground":
            fixed = "humerus"
        if body == "skull" and model == "hyoid" and "jaw" in options:
            fixed = "jaw"
        if body == "r_ulna_radius_hand":
            fixed = None
        if "VL_hyoid" in options and body.startswith("cerv"):
            fixed = "VL_hyoid"
        if fixed == "pelvis" and bone == "VL_linea_alba":
            return 0.0
        if fixed is not None and bone in CENTRES | {"VL_hyoid": 0}:
            return 0.0 if fixed == bone else 50.0
        if bone.startswith("VL") or bone not in CENTRES:
            return 50.0
        return 0.001 + abs(p[1] - CENTRES[bone][1] + (0.03 if p[0] > CENTRES[bone][0] + 0.05 else 0.0))

    n, m = len(points), len(options)
    best = np.full((n, m), np.inf)
    back = np.zeros((n, m), int)
    for i in range(n):
        for j in range(m):
            here = cost(points[i], options[j])
            prior = [best[i - 1, k] for k in (j, j - 1) if k >= 0] if i else [0.0 if j == 0 else np.inf]
            k = int(np.argmin(prior))
            best[i, j], back[i, j] = here + prior[k], j - k
    j, chosen = m - 1, []
    for i in range(n - 1, -1, -1):
        chosen.append(options[j])
        j = back[i, j]
    return chosen[::-1]


def tidy(v):
    """Our axes, millimetres from a bone's joint."""
    x, y, z = v * 1000
    return " ".join(f"{a:.1f}".replace("-0.0", "0.0") if abs(a) < 0.05 else f"{a:.1f}" for a in (x, -z, y))


def path_text(name, points):
    hyoid = HYOID
    out = []
    for bone, p in points:
        if bone == "VL_hyoid":
            out.append(f"hyoid {tidy(p - hyoid)}")
            continue
        bone = "pelvis" if bone == "VL_linea_alba" else bone
        out.append(f"{bone} {tidy(p - C[bone])}")
    if name in WALL:
        out[out.index(next(p for p in out if p.startswith("pelvis")))] = WALL[name]
        out = out if out[0] != WALL[name] else out[::-1]
        out += [PUBIS] if name.startswith("external") else []
    for k in range(len(out)):
        out[k] = MOVED.get((name, k), out[k])
    return " | ".join(out)


HYOID = V([0.012, 0.418, 0.0]) + HYOID_SHIFT


def main(folder):
    derived = folder / "derived"
    paths, stands = {}, {}
    for row in read(derived / "muscle_paths.csv"):
        if row["kind"] == "muscle":
            p = V([float(row[k]) for k in ("gx_fwd", "gy_up", "gz_right")])
            paths.setdefault((row["model"], row["element"]), []).append((row["body"], p))
            local = V([float(row[k]) for k in "xyz"])
            stands.setdefault((row["model"], row["body"]), []).append((local, p))
    for row in read(folder / "artisynth_jaw" / "jaw_hyoid_muscles.csv"):
        if row["code"] not in ("landmark",) and row["ax_mm"]:
            ends = [jaw_to_master([float(row[f"{e}{k}_mm"]) for k in "xyz"]) for e in "ab"]
            paths["artisynth_jaw", row["code"]] = [(row["body_a"], ends[0]), (row["body_b"], ends[1])]
    foot = {}
    for row in read(derived / "foot_by_hand.csv"):
        bone = "foot" if "calcn" in row["body(Rajagopal frame)"] else "toes"
        foot.setdefault(row["element"], []).append((bone, C[bone] + V([float(row[k]) for k in "xyz"])))
    wraps = {}
    for row in read(derived / "wraps_osim.csv"):
        for name in row["muscles"].split():
            wraps.setdefault((row["model"], name), []).append(row)
    surfaces, muscles = {}, []
    for row in read(derived / "muscles_366.csv"):
        if row["side"] != "r":
            continue
        muscles.append(muscle_row(row, folder, paths, foot, wraps, Surfaces(surfaces, stands)))
    OUT.mkdir(exist_ok=True)
    header = [
        "name",
        "region",
        "max_force_N",
        "fibre_mm",
        "pennation_deg",
        "fibre_at_neutral",
        "path",
        "surfaces",
        "actions",
        "source",
    ]
    write(OUT / "muscles.csv", header, muscles)
    write(
        OUT / "bones.csv",
        ["bone", "parent", "paired", "joint", "at_mm", "axis", "axis2", "mass_kg", "centre_mm", "radii_mm", "source"],
        bones(),
    )
    write(OUT / "knee.csv", ["bone", "step", "axis_or_place_mm", "function", "source"], knee())
    write(
        OUT / "ligaments.csv",
        ["name", "paired", "stiffness_N", "strain_at_neutral", "path", "source"],
        ligaments(derived),
    )
    write(OUT / "supports.csv", ["name", "path", "source"], SUPPORTS)
    write(OUT / "tendons.csv", ["name", "paired", "heads", "share", "path", "source"], tendons(paths, foot, muscles))
    write(
        OUT / "surfaces.csv",
        ["name", "kind", "bone", "sizes_mm", "centre_mm", "axis", "side", "source"],
        surfaces.values(),
    )


def muscle_row(row, folder, paths, foot, wraps, surfaces):
    model, element = row["source_model"], row["source_element(right side; mirror z)"]
    name = named(row["name"].removesuffix("_r"))
    groups = row["bone_groups_in_path_order"].split()
    placed = PLACED.get(name)
    if placed:
        force, fibre, pennation, neutral, points = placed
        origin = f"{NUMBERS.get(name, NUMBERS['PLACED'])}; points: anatomy"
    elif model == "mass":
        force, fibre, pennation = DEEP[name]
        neutral, points, origin = (
            1.0,
            mass_points(folder.parent / "mass", element),
            f"{NUMBERS['DEEP']}; {SOURCE['mass']}",
        )
    elif model == "textbook":
        force, fibre, pennation = FOOT[name]
        neutral, points, origin = 1.0, foot[name], f"{NUMBERS['FOOT']}; points: anatomy"
        tail = {
            "flexor_digitorum_brevis": "FDB_3 tendon end",
            "quadratus_plantae": "FDL_3 tendon end",
            "extensor_digitorum_brevis": "EDB_3 tendon end",
        }.get(name)
        under = (
            [("foot", C["foot"] + V([0.168, -0.010, 0.008]))]
            if name in ("flexor_digitorum_brevis", "quadratus_plantae")
            else []
        )
        points = points + under + foot[tail] if tail else points
    else:
        points = source_points(model, element, groups, paths, name, surfaces)
        force = float(row["Fmax_merged_N"]) * TENSION / SIGMA[model]
        fibre = FIBRES.get(name, float(row["lopt_m"] or 0.0))
        pennation = float(row["penn_deg"] or 0.0)
        neutral = float(np.clip(float(row["fibre_norm_neutral"] or 1.0), 0.75, 1.15))
        origin = SOURCE[model]
    if any((name, k) in MOVED for k in range(20)):
        origin += "; origin moved to its bone"
    stands_for = {"psoas": ("rajlai", "psoas_r"), "triceps_long": ("arm26", "TRIlat")}
    mine = wraps.get(next((key for start, key in stands_for.items() if name.startswith(start)), (model, element)), [])
    used = [surface for each in mine if (surface := surface_row(each, name, surfaces))]
    neutral = NEUTRAL.get(name, neutral)
    if name in ("gemellus_inferior", "obturator_internus"):
        origin += "; fibre longer, for its path"
    force *= STRENGTH.get(row["region"], 1.0)
    if name.startswith("psoas"):
        used = [f"{each}:1" for each in used]  # from its second point on
    return [
        name,
        row["region"],
        f"{force:.0f}",
        f"{fibre * 1000:.1f}",
        f"{pennation:.1f}",
        f"{neutral:.2f}",
        path_text(name, points),
        " ".join(used),
        actions(name),
        origin,
    ]


def source_points(model, element, groups, paths, name, surfaces):
    points = []
    if model == "artisynth_jaw":
        bones = {"hyoid": "VL_hyoid", "thyroid": "VL_hyoid", "sternum": "T1"}
        return [(bones.get(body, body), p) for body, p in paths[model, element]]
    raw = paths[model, element]
    maps = MAPS[model]
    moved = [(body, maps.get(body, maps.get("*"))(p)) for body, p in raw]
    if model == "shoulder":  # its humerus is that of the arm's model, turned
        R, t = surfaces.pose(model, "humerus")
        moved = [
            (b, UPPER_ARM(A_GH + R.T @ (p - t)) if b == "humerus" else q)
            for (b, p), (_, q) in zip(raw, moved, strict=True)
        ]
    if name in ("biceps_long", "biceps_short", "triceps_long"):
        other = {"biceps_long": "BIClong", "biceps_short": "BICshort", "triceps_long": "TRIlong"}[name]
        arm = [(body, MAPS["arm26"][body](p)) for body, p in paths["arm26", other]]
        head = [("scapula", p) for body, p in moved if body == "scapula"][:1]
        if name == "biceps_long":  # over the head of the humerus, in its groove
            head += [("scapula", p) for body, p in arm[1:2]]
        if name == "biceps_short":
            head += [("scapula", p) for body, p in arm[1:2]]
        tail = [("humerus", p) for body, p in arm if body == "r_humerus"]
        end = "ulna" if name == "triceps_long" else "radius"
        return head + tail + [(end, p) for body, p in arm if body == "r_ulna_radius_hand"]
    if model == "shoulder" and name.startswith("latissimus"):
        moved = [each for each in moved if each[0] == "humerus"] + [each for each in moved if each[0] == "thorax"][::-1]
        moved = moved[::-1]
    bones = bone_of_points(moved, groups, model)
    return points + [(bone, p) for bone, (_, p) in zip(bones, moved, strict=True)]


KEPT = {"shoulder": ("hhead", "hheadsupraTminor", "hheadInfra"), "arm26": ("TRI",)}


class Surfaces:
    """Rows of surfaces, and points of the source bodies in their own frames and in the neutral pose."""

    def __init__(self, rows, stands):
        self.rows, self.stands = rows, stands

    def pose(self, model, body):
        """Of a source body in its model's neutral pose: rotation and place (Kabsch 1976)."""
        local, world = (V(each) for each in zip(*self.stands[model, body], strict=True))
        a, b = local - local.mean(axis=0), world - world.mean(axis=0)
        U, _, W = np.linalg.svd(a.T @ b)
        R = (U @ np.diag([1, 1, np.sign(np.linalg.det(U @ W))]) @ W).T
        return R, world.mean(axis=0) - R @ local.mean(axis=0)


def surface_row(row, muscle, surfaces):
    """A surface of a source model in our frame; its name, or None where it is not used."""
    model, name = row["model"], row["wrap"]
    if model not in ("rajlai", "shoulder", "arm26") or (model in KEPT and name not in KEPT[model]):
        return None
    if muscle == "biceps_long":
        return None
    own = SURFACES.get(name.removesuffix("_r"), name.removesuffix("_r").lower())
    front = muscle == "brachialis"
    own += "_front" if front else ""
    if own in surfaces.rows:
        return own
    body = row["body"]
    R, t = surfaces.pose(model, body)
    move = MAPS[model].get(body, MAPS[model].get("*"))
    if model == "shoulder" and body == "humerus":
        turn, place = R, t
        move = lambda p: UPPER_ARM(A_GH + turn.T @ (p - place))
    a, b, c = (float(x) for x in row["xyz_body_rotation_rad"].split())
    Rx = V([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    Ry = V([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    Rz = V([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    local = V([float(x) for x in row["translation"].split()])
    axes = R @ Rx @ Ry @ Rz
    centre = move(R @ local + t)
    turned = V([move(R @ local + t + 0.01 * e) - centre for e in axes.T]).T / 0.01
    scale = np.linalg.norm(turned[:, 0])
    sizes = (
        V([float(x) for x in f"{row['dim1_m']} {row['dim2_m'] if row['shape'] == 'WrapCylinder' else ''}".split()])
        * scale
    )
    kind = {"WrapCylinder": "cylinder", "WrapSphere": "sphere", "WrapEllipsoid": "sphere"}[row["shape"]]
    source = SOURCE[model]
    if row["shape"] == "WrapEllipsoid":
        sizes, source = V([np.mean(sizes)]), source + " (ellipsoid as a sphere)"
    side = ""
    if row["quadrant"] not in ("all", ""):
        sign = -1 if row["quadrant"].startswith("-") else 1
        side = direction(sign * turned[:, "xyz".index(row["quadrant"].lstrip("+-"))] / scale)
    side = direction((1.0, 0.0, 0.0)) if front else side
    axis = direction(turned[:, 2] / scale) if kind == "cylinder" else ""
    bone = GROUPS[body]
    surfaces.rows[own] = [
        own,
        kind,
        bone,
        " ".join(f"{x * 1000:.1f}" for x in sizes),
        tidy(centre - C[bone]),
        axis,
        side,
        source,
    ]
    return own


SURFACES = {
    "Gmax1_at_pelvis": "ischium_upper",
    "Gmax2_at_pelvis": "ischium_middle",
    "Gmax3_at_pelvis": "ischium_lower",
    "PS_at_brim": "pelvic_brim_psoas",
    "IL_at_brim": "pelvic_brim_iliacus",
    "GasLat_at_condyles": "condyle_lateral",
    "GasMed_at_condyles": "condyle_medial",
    "KnExt_at_fem": "trochlea",
    "KnExtVL_at_fem": "trochlea_lateral",
    "AB_at_femshaft": "femur_shaft_brevis",
    "AL_at_femshaft": "femur_shaft_longus",
    "AMprox_at_femshaft": "femur_shaft_proximal",
    "AMmid_at_femshaft": "femur_shaft_middle",
    "AMdist_at_femshaft": "femur_shaft_distal",
    "AMisch_at_condyles": "condyles_adductor",
    "GasLat_at_shank": "shank_lateral",
    "GasMed_at_shank": "shank_medial",
    "GR_at_condyles": "tibial_condyle_gracilis",
    "SM_at_condyles": "tibial_condyle_semimembranosus",
    "ST_at_condyles": "tibial_condyle_semitendinosus",
    "BF_at_gastroc": "gastrocnemius_biceps",
    "hhead": "humeral_head",
    "hheadsupraTminor": "humeral_head_supraspinatus",
    "hheadInfra": "humeral_head_infraspinatus",
    "TRI": "humeral_condyles",
}


def direction(v):
    """A unit vector in our axes."""
    v = V(v) / np.linalg.norm(v)
    return " ".join(f"{a:.4f}" for a in (v[0], -v[2], v[1]))


# ------------------------------------------------------- bones
STATURE, MASS = 1.741, 73.0
LEFT, UP, AHEAD = (0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
FOREARM_AXES = [  # in the forearm's model: pronation, and flexion and deviation of the wrist's capitate
    FOREARM(W_EL + V(e)) - FOREARM(W_EL)
    for e in (
        (0.05639802, 0.98357739, -0.17144907),
        (0.38268343, 0.23911762, 0.8923991),
        (0.92387955, -0.09904576, -0.36964381),
    )
]
JOINTS = {  # joint, its axes (x forward, y up, z right)
    "pelvis": ("free",),
    "jaw": ("jaw", LEFT, (0.766, -0.643, 0.0)),
    "ulna": ("hinge", (0.0494, 0.0366, 0.9981)),
    "radius": ("hinge", FOREARM_AXES[0]),
    "hand": ("universal", FOREARM_AXES[1], FOREARM_AXES[2]),
    "tibia": ("knee",),
    "patella": ("patella",),
    "talus": ("hinge", (-0.10501402, -0.17402184, 0.97912637)),
    "foot": ("hinge", (0.78718, 0.6047472, -0.12094825)),
    "toes": ("universal", (0.58095458, 0.0, -0.81393598), UP),
}
PARENTS = {
    "clavicle": "T1",
    "scapula": "clavicle",
    "humerus": "scapula",
    "ulna": "humerus",
    "radius": "ulna",
    "hand": "radius",
    "femur": "pelvis",
    "tibia": "femur",
    "patella": "femur",
    "talus": "tibia",
    "foot": "talus",
    "toes": "foot",
    "jaw": "skull",
}
SHARES = {
    "pelvis": 8.37,
    **dict.fromkeys(("L5", "L4"), 1.4),
    **dict.fromkeys(("L3", "L2", "L1", "T12", "T11", "T10", "T9"), 16.33 / 7),
    **dict.fromkeys([f"T{k}" for k in range(8, 0, -1)], 13.96 / 8),
    **dict.fromkeys(NECK, 0.24),
    "skull": 4.99,
    "jaw": 0.27,
    "clavicle": 0.25,
    "scapula": 0.75,
    "humerus": 2.71,
    "ulna": 0.81,
    "radius": 0.81,
    "hand": 0.61,
    "femur": 14.06,
    "tibia": 4.33,
    "patella": 0.1,
    "talus": 0.13,
    "foot": 1.04,
    "toes": 0.2,
}
LONG = {
    "humerus": ("ulna", 0.5772, (0.285, 0.269, 0.158)),
    "ulna": ("hand", 0.4574, (0.276, 0.265, 0.121)),
    "radius": ("hand", 0.4574, (0.276, 0.265, 0.121)),
    "femur": ("tibia", 0.4095, (0.329, 0.329, 0.149)),
    "tibia": ("talus", 0.4459, (0.255, 0.249, 0.103)),
}
LUMPS = {  # centre of mass from the joint and radii of gyration [mm, our axes], estimates
    "pelvis": ((-55, 0, -5), (80, 75, 82)),
    "skull": ((15, 0, 60), (62, 64, 55)),
    "jaw": ((45, 0, -45), (25, 28, 32)),
    "clavicle": ((-25, -64, 8), (38, 15, 40)),
    "scapula": ((-60, 50, -40), (45, 40, 35)),
    "hand": ((15, -5, -75), (50, 45, 25)),
    "patella": ((0, 0, 10), (15, 15, 15)),
    "talus": ((-15, 0, -20), (20, 20, 20)),
    "foot": ((85, 0, 15), (25, 60, 62)),
    "toes": ((25, 0, -2), (25, 18, 28)),
}


def bones():
    """One row for each bone: where its joint is in its parent, how it moves, and its mass."""
    chain = ["pelvis", *TRUNK, *NECK]
    order = [*chain, "jaw", *(b for b in CENTRES if b in PAIRED)]
    rows = []
    for bone in order:
        parent = PARENTS.get(bone) or (chain[chain.index(bone) - 1] if bone != "pelvis" else "")
        kind, *axes = JOINTS.get(bone, ("ball",))
        at = C[bone] - (C[parent] if parent else 0.0)
        if bone in LONG:
            end, share, radii = LONG[bone]
            length = np.linalg.norm(C[end] - C[bone])
            centre, radii = tidy(share * (C[end] - C[bone])), [1000 * r * length for r in radii]
            source = "de Leva 1996"
        elif bone in LUMPS:
            (x, y, z), radii = LUMPS[bone]
            centre, source = f"{x:.1f} {y:.1f} {z:.1f}", "de Leva 1996 (mass); centre and radii estimated"
        else:  # a slice of the trunk or neck
            above = chain[chain.index(bone) + 1]
            neck = bone in NECK
            ahead = (0.0 if neck else -0.045) - (C[bone][0] if not neck else 0.0)
            centre = tidy(V([ahead, 0.5 * (C[above][1] - C[bone][1]), 0.0]))
            radii, source = ([30, 30, 42] if neck else [78, 58, 93]), "de Leva 1996 (mass); elliptic slice"
        joint = "joint: " + JOINT_SOURCE.get(bone, "thoracolumbar, MS-Human-700")
        rows.append(
            [
                bone,
                parent,
                "yes" if bone in PAIRED else "",
                kind,
                tidy(V(at)),
                *[direction(a) for a in axes],
                *[""] * (2 - len(axes)),
                f"{SHARES[bone] / 100 * MASS:.3f}",
                centre,
                " ".join(f"{r:.0f}" for r in radii),
                f"{source}; {joint}",
            ]
        )
    return rows


JOINT_SOURCE = {
    **dict.fromkeys(NECK, "HYOID 1.2"),
    "jaw": "Hannam 2008",
    "clavicle": "MS-Human-700",
    "scapula": "MS-Human-700",
    "humerus": "MS-Human-700",
    "ulna": "arm26 (axis)",
    "radius": "wrist (axis)",
    "hand": "wrist (axes)",
    **dict.fromkeys(("femur", "tibia", "patella", "talus", "foot", "toes"), "Rajagopal 2016, Lai 2017"),
}
KNEE = [  # kind, axis (x forward, y up, z right), coefficients of the powers 4, 3, 2 and 1 of the flexion [m, rad]
    (
        "shift",
        (0, -0.07071097, -0.99749685),
        (0.0001590447878850381, -0.001015149915669, 0.001817510974968, 2.64142664519923e-05),
    ),
    (
        "shift",
        (-0.12429404, 0.98976169, -0.07016258),
        (-0.0005796878052338684, 0.005079765745626, -0.011442375726364, 0.003936908668844),
    ),
    (
        "shift",
        (0.99224543, 0.12398289, -0.0087894),
        (0.001208086889206, -0.004453611224706, 0.0006116494072981739, 0.006265429606387),
    ),
    ("turn", (0, -0.07071097, -0.99749685), (0, 0, 0, 1)),
    (
        "turn",
        (0.99224543, 0.12398289, -0.0087894),
        (0.010832094539863, -0.025218325501241, -0.032847810398852, 0.079100011967027),
    ),
    ("turn", (-0.12429404, 0.98976169, -0.07016258), (0, 0.025165762727423, -0.16948005139054, 0.369499348688249)),
]
KNEE_AT = (-0.0045, -0.4096, -0.00175)
PATELLA_X = (52.4, 48.8, 43.7, 37.1, 29.6, 21.6, 13.6, 5.7, -1.9, -8.8, -14.8, -19.6, -22.7)
PATELLA_Y = (-10.8, -19.0, -26.3, -32.2, -36.7, -39.5, -40.8, -40.4, -38.4, -34.9, -30.1, -24.5, -18.7)
PATELLA_TURN = (
    0.00113686,
    -0.00629212,
    -0.105582,
    -0.253683,
    -0.414245,
    -0.579047,
    -0.747244,
    -0.91799,
    -1.09044,
    -1.26379,
    -1.43763,
    -1.61186,
    -1.78634,
)


# ------------------------------------------------------- ligaments and tendons
BUNDLES = {
    "ACL": r"ACL",
    "PCL": r"PCL",
    "MCL": r"MCL[sdp]",
    "LCL": r"LCL",
    "MPFL": r"mPFL",
    "knee_posterior_capsule": r"pCAP",
}
BANDS = {  # by hand: stiffness N per strain, strain at neutral, path in mm (our axes), source
    "iliofemoral": (
        6000,
        0.02,
        "pelvis -30.0 -83.0 -40.0 | femur 12.0 -25.0 -42.0",
        "Hewitt 2002 (stiffness); points: anatomy",
    ),
    "pubofemoral": (
        2200,
        0.0,
        "pelvis -18.0 -38.0 -75.0 | femur 0.0 -15.0 -38.0",
        "Hewitt 2002 (stiffness); points: anatomy",
    ),
    "ischiofemoral": (
        2000,
        0.0,
        "pelvis -85.0 -65.0 -95.0 | femur -4.0 -42.0 -6.0",
        "Hewitt 2002 (stiffness); points: anatomy",
    ),
    "deltoid_tibiocalcaneal": (
        2600,
        0.02,
        "tibia -5.0 22.0 -396.0 | foot 42.0 26.0 22.0",
        "Siegler 1988 (stiffness); points: anatomy",
    ),
    "calcaneofibular": (
        3200,
        0.0,
        "tibia -14.0 -27.0 -402.0 | foot 13.0 -20.0 13.0",
        "Siegler 1988 (stiffness); points: anatomy, length and slope: Taser 2006",
    ),
    "plantar_aponeurosis": (
        30000,
        0.0,
        "foot 20.0 4.0 0.0 | foot 172.0 6.0 -10.0 | toes 10.0 6.0 -8.0",
        "Kitaoka 1994 (stiffness); points: anatomy",
    ),
    "conoid": (
        2000,
        0.0,
        "clavicle -46.0 -105.0 16.0 | scapula -8.0 34.0 -18.0",
        "Motamedi 2000 (stiffness); points: anatomy",
    ),
    "costoclavicular": (2000, 0.0, "T1 66.0 -52.0 -54.0 | clavicle -14.0 -34.0 -2.0", "estimate; points: anatomy"),
    "temporomandibular": (3000, 0.0, "skull 40.0 -58.0 12.0 | jaw 8.0 -52.0 -14.0", "estimate; points: anatomy"),
}
MIDLINE = {
    "nuchal": (1500, -0.02, "skull -88.0 0.0 12.0 | C7 -60.0 0.0 -2.0", "Takeshita 2004 (order); points: anatomy"),
    "supraspinous": (
        4000,
        -0.02,
        "C7 -62.0 0.0 -2.0 | T6 -52.0 0.0 -8.0 | T12 -55.0 0.0 -6.0 | L3 -82.0 0.0 10.0 | L5 -72.0 0.0 8.0",
        "Remus 2021 (lumbar); points: anatomy",
    ),
    "anterior_longitudinal": (
        12000,
        0.0,
        "C2 14.0 0.0 12.0 | C7 16.0 0.0 6.0 | T6 22.0 0.0 8.0 | T12 26.0 0.0 12.0 | L3 32.0 0.0 18.0 | pelvis -52.0 0.0 40.0",  # noqa: E501
        "Remus 2021 (lumbar); points: anatomy",
    ),
    "posterior_longitudinal": (
        6000,
        0.0,
        "C2 -2.0 0.0 12.0 | C7 -2.0 0.0 6.0 | T6 -8.0 0.0 8.0 | T12 -10.0 0.0 12.0 | L3 -10.0 0.0 18.0 | pelvis -92.0 0.0 42.0",  # noqa: E501
        "Remus 2021 (lumbar); points: anatomy",
    ),
}


GLIDES = (
    "points and the blade's normal: Seth 2019 (Thoracoscapular); curvature between the 83 and 480 mm of its thorax"
)
SUPPORTS = [
    ["scapula_on_ribs_spine", "T3 36.3 33.0 -23.3 | scapula -104.0 87.0 0.0", GLIDES],
    ["scapula_on_ribs_angle", "T7 23.7 27.8 -29.1 | scapula -139.3 81.8 -104.9", GLIDES],
]


def ligaments(derived):
    """Bundles of the knee as their mean lines, the others by hand."""
    numbers = {row["ligament"]: row for row in read(derived / "knee_ligaments_lenhart.csv")}
    lines = {}
    for row in read(derived / "muscle_paths.csv"):
        if row["kind"] == "ligament":
            lines.setdefault(row["element"], []).append(
                (row["body"], V([float(row[k]) for k in ("gx_fwd", "gy_up", "gz_right")]))
            )
    places = {
        "femur": MAPS["lenhart"]["femur_r"],
        "tibia": MAPS["lenhart"]["tibia_r"],
        "patella": about(V([-0.019849, 0.516577, 0.095221]), C["patella"], 1.0),
    }
    rows = []
    for name, pattern in BUNDLES.items():
        mine = [key for key in lines if re.match(pattern, key)]
        ends = []
        for end in (0, -1):
            bone = next(b for b in places if b in lines[mine[0]][end][0])
            ends.append((bone, places[bone](np.mean([lines[key][end][1] for key in mine], axis=0))))
        stiffness = sum(float(numbers[key]["stiffness_N_per_strain"]) for key in mine)
        strain = np.mean([float(numbers[key]["strain_neutral"]) for key in mine])
        rows.append([name, "yes", f"{stiffness:.0f}", f"{strain:.3f}", path_text(name, ends), SOURCE["lenhart"]])
    rows += [[name, "yes", k, e, path, source] for name, (k, e, path, source) in BANDS.items()]
    return rows + [[name, "", k, e, path, source] for name, (k, e, path, source) in MIDLINE.items()]


DIGITS = {"FDS": "flexor_digitorum_superficialis", "FDP": "flexor_digitorum_profundus", "EDC": "extensor_digitorum"}
TOES = {
    "EDL": ("extensor_digitorum_longus",),
    "FDL": ("flexor_digitorum_longus", "quadratus_plantae"),
    "FDB": ("flexor_digitorum_brevis",),
    "EDB": ("extensor_digitorum_brevis",),
}
SHARED = {  # tendon: heads, and whose path's end it is
    "biceps_distal": ("biceps_long biceps_short", 0.8),
    "lacertus_fibrosus": ("biceps_long biceps_short", 0.2),
    "triceps_distal": ("triceps_long triceps_lateral triceps_medial", 1.0),
    "pectoralis_major": ("pectoralis_major_clavicle pectoralis_major_middle pectoralis_major_lower", 1.0),
    "latissimus_dorsi": ("latissimus_upper latissimus_middle latissimus_lower", 1.0),
    "digastric_intermediate": ("digastric_anterior digastric_posterior", 0.5),
    "erector_spinae_aponeurosis": ("longissimus_thoracis_R8 longissimus_thoracis_R11 iliocostalis_R10", 1.0),
    "thoracolumbar_fascia": ("latissimus_lower transversus_3", 1.0),
    "deltoid": ("deltoid_anterior deltoid_middle deltoid_posterior", 1.0),
    "quadriceps": ("rectus_femoris vastus_intermedius vastus_lateralis vastus_medialis", 1.0),
    "patellar": ("rectus_femoris vastus_intermedius vastus_lateralis vastus_medialis", 1.0),
    "achilles": ("gastrocnemius_lateral gastrocnemius_medial soleus plantaris", 1.0),
    "iliopsoas": ("psoas_L1 psoas_L2 psoas_L5 iliacus", 1.0),
    "biceps_femoris": ("biceps_femoris_long biceps_femoris_short", 1.0),
    "obturator_gemelli": ("obturator_internus gemellus_superior gemellus_inferior", 1.0),
    "iliotibial_tract": ("tensor_fasciae_latae", 1.0),
    "tibialis_posterior_navicular": ("tibialis_posterior", 0.7),
    "tibialis_posterior_plantar": ("tibialis_posterior", 0.3),
}
ENDS = {  # link and end by hand [mm, our axes]
    "lacertus_fibrosus": "ulna 12.0 -4.0 -28.0 | ulna 10.0 16.0 -66.0",
    "digastric_intermediate": "hyoid -22.0 -22.0 14.0 | hyoid -10.0 -14.0 2.0",
    "erector_spinae_aponeurosis": "pelvis -142.0 -28.0 60.0 | pelvis -150.0 -20.0 12.0",
    "thoracolumbar_fascia": "pelvis -150.0 -45.0 75.0 | pelvis -140.0 -40.0 20.0",
    "quadriceps": "patella 8.0 0.0 60.0 | patella 10.0 0.0 42.0",
    "patellar": "patella 5.0 0.0 2.5 | tibia 40.7 0.0 -59.6",
    "achilles": "foot -6.0 5.0 78.0 | foot 4.4 5.3 31.0",
    "iliotibial_tract": "tibia 14.0 -37.0 10.0 | tibia 18.9 -36.1 -37.5",
    "tibialis_posterior_plantar": "foot 66.0 26.0 18.0 | foot 100.0 4.0 6.0",
    "biceps_distal": "radius 6.0 -2.0 -12.0 | radius 4.5 -1.9 -37.1",
    "biceps_femoris": "tibia -24.0 -37.0 -20.0 | tibia -19.0 -36.2 -46.5",
    "obturator_gemelli": "femur -30.0 -44.0 -22.0 | femur -20.0 -49.5 -21.5",
    "triceps_distal": "ulna -24.0 1.0 30.0 | ulna -21.9 0.8 10.5",
    "iliopsoas": "femur -6.0 -8.0 -48.0 | femur -18.0 -13.0 -58.0",
    "tibialis_posterior_navicular": "foot 66.0 26.0 18.0 | foot 77.2 28.1 15.9",
    "pectoralis_major": "humerus 10.0 24.0 -40.0 | humerus 6.0 10.5 -32.0",
    "latissimus_dorsi": "humerus -2.0 22.0 -46.0 | humerus 5.0 6.0 -36.0",
    "deltoid": "humerus 14.0 -12.0 -80.0 | humerus 15.5 -4.0 -98.0",
}


def tendons(paths, foot, muscles):
    """Passive ends that muscles share; the last one is the midline's."""
    ends = {row[0]: row[6].split(" | ")[-1] for row in muscles}
    wrist_links = {
        row[0]: next(p for p in row[6].split(" | ") if p.startswith("hand"))
        for row in muscles
        if row[0] in DIGITS.values()
    }
    rows = []
    for name, (heads, share) in SHARED.items():
        rows.append([name, "yes", heads, share, ENDS[name], "anatomy; end of the heads' paths"])
    for short, head in DIGITS.items():
        for k, finger in enumerate("IMRL"):
            _body, p = paths["wrist", f"{short}{finger}"][-1]
            end = path_text("", [("hand", FOREARM(p))])
            rows.append([f"{short}_{k + 2}", "yes", head, 0.25, f"{wrist_links[head]} | {end}", SOURCE["wrist"]])
    for short, heads in TOES.items():
        link = {
            "EDL": "foot 140.0 -7.0 22.0",
            "FDL": "foot 95.0 4.0 8.0",
            "FDB": "foot 110.0 -6.0 0.0",
            "EDB": "foot 120.0 -6.0 28.0",
        }[short]
        toes = [2, 3, 4] if short == "EDB" else [2, 3, 4, 5]
        for k in toes:
            end = path_text("", foot[f"{short}_{k} tendon end"])
            rows.append([f"{short}_{k}", "yes", " ".join(heads), round(1 / len(toes), 4), f"{link} | {end}", "anatomy"])
    heads = "external_oblique_5 external_oblique_7 external_oblique_8 transversus_1 transversus_3"
    both = " ".join(f"{h}_{side}" for h in heads.split() for side in "rl")
    rows.append(
        [
            "linea_alba",
            "",
            both,
            0.5,
            "T1 95.0 0.0 -150.0 | pelvis 47.0 0.0 290.0 | pelvis 10.0 0.0 -100.0",
            SOURCE["cyclist"],
        ]
    )
    assert len(rows) == 46
    assert all(h in ends for row in rows[:-1] for h in row[2].split())
    return rows


def knee():
    """Steps of the tibia and of the patella, by the flexion of the knee."""
    hip, source = C["femur"], SOURCE["rajlai"]
    rows = [["tibia", "at", tidy(V(KNEE_AT)), "", source]]
    for kind, axis, powers in KNEE:
        rows.append(
            ["tibia", kind, direction(V(axis) / np.linalg.norm(axis)), " ".join(f"{p:.12g}" for p in powers), source]
        )
    rows.append(["patella", "at", tidy(C["patella"] - hip), "", source])
    for kind, axis, values, scale in (
        ("shift", (1, 0, 0), PATELLA_X, 1.0),
        ("shift", (0, 1, 0), PATELLA_Y, 1.0),
        ("turn", (0, 0, 1), PATELLA_TURN, 1.0),
    ):
        text = " ".join(f"{scale * (v - values[0]):.6g}" for v in values)
        rows.append(["patella", kind, direction(V(axis)), text, source + "; every 10 deg"])
    return rows


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
