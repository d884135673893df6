"""The applications that are opened for training data, and how differently a desktop can look: themes, icons, fonts,
window borders, sizes, languages.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random

from saccade.geometry import Size

SIZES = (Size(1280, 720), Size(1280, 800), Size(1366, 768), Size(1440, 900), Size(1600, 900), Size(1920, 1080))
SMALL_SIZES = (Size(800, 600), Size(1024, 768), Size(960, 640))
"""For windows that do not fill the screen: little of it shall be empty."""
COMMANDS: dict[str, str] = {
    # Left out, because boxes and picture differ: bleachbit (tree), caja and nemo (files have none). Chromium
    # is left out, because its own pages follow Material Design.
    # Qt 5
    "ark": "ark archive.zip",
    "dolphin": "dolphin .",
    "featherpad": "featherpad notes.txt",
    "focuswriter": "focuswriter",
    "gwenview": "gwenview Pictures",
    "kate": "kate notes.txt script.py",
    "kcalc": "kcalc",
    "kwrite": "kwrite script.py",
    "lximage-qt": "lximage-qt Pictures/hills.png",
    "lyx": "lyx",
    "okular": "okular paper.pdf",
    "pcmanfm-qt": "pcmanfm-qt .",
    "qbittorrent": "qbittorrent --no-splash",
    "qpdfview": "qpdfview paper.pdf",
    "qt5ct": "qt5ct",
    "qterminal": "qterminal",
    "speedcrunch": "speedcrunch",
    "sqlitebrowser": "sqlitebrowser shop.db",
    "texstudio": "texstudio",
    "vlc": "vlc --no-qt-privacy-ask",
    "vym": "vym",
    # GTK 2 and 3
    "abiword": "abiword notes.txt",
    "atril": "atril paper.pdf",
    "audacity": "audacity",
    "baobab": "baobab",
    "catfish": "catfish",
    "dconf-editor": "dconf-editor",
    "engrampa": "engrampa archive.zip",
    "eog": "eog Pictures/hills.png",
    "eom": "eom Pictures/hills.png",
    "evince": "evince paper.pdf",
    "file-roller": "file-roller archive.zip",
    "filezilla": "filezilla",
    "galculator": "galculator",
    "geany": "geany script.py notes.txt",
    "gedit": "gedit notes.txt script.py",
    "gimp": "gimp --no-splash Pictures/hills.png",
    "gnome-calculator": "gnome-calculator",
    "gnome-system-monitor": "gnome-system-monitor",
    "gnucash": "gnucash --nofile",
    "gnumeric": "gnumeric --no-splash table.csv",
    "gpicview": "gpicview Pictures/hills.png",
    "gucharmap": "gucharmap",
    "hexchat": "hexchat",
    "homebank": "homebank",
    "inkscape": "inkscape drawing.svg",
    "libreoffice-calc": "/usr/lib/libreoffice/program/soffice.bin --norestore --nologo --calc table.csv",
    "libreoffice-impress": "/usr/lib/libreoffice/program/soffice.bin --norestore --nologo --impress",
    "libreoffice-start": "/usr/lib/libreoffice/program/soffice.bin --norestore --nologo",
    "libreoffice-writer": "/usr/lib/libreoffice/program/soffice.bin --norestore --nologo --writer notes.txt",
    "liferea": "liferea",
    "lxappearance": "lxappearance",
    "mate-calc": "mate-calc",
    "mate-system-monitor": "mate-system-monitor",
    "meld": "meld notes.txt letter.txt",
    "mousepad": "mousepad --disable-server notes.txt",
    "parole": "parole",
    "pavucontrol": "pavucontrol",
    "pcmanfm": "pcmanfm .",
    "pidgin": "pidgin",
    "pluma": "pluma notes.txt",
    "qalculate-gtk": "qalculate-gtk",
    "ristretto": "ristretto Pictures/hills.png",
    "scite": "scite script.py",
    "shotwell": "shotwell",
    "thunar": "thunar .",
    "thunderbird": "thunderbird",
    "transmission-gtk": "transmission-gtk",
    "viewnior": "viewnior Pictures/hills.png",
    "xarchiver": "xarchiver archive.zip",
    "xfburn": "xfburn",
    "xfce4-appearance": "xfce4-appearance-settings",
    "xfce4-appfinder": "xfce4-appfinder",
    "xfce4-keyboard": "xfce4-keyboard-settings",
    "xfce4-mouse": "xfce4-mouse-settings",
    "xfce4-settings": "xfce4-settings-manager",
    "xfce4-taskmanager": "xfce4-taskmanager",
    "xfce4-terminal": "xfce4-terminal --disable-server",
    "xournalpp": "xournalpp",
    "zim": "zim --standalone",
}
GTK_THEMES = (
    "Adwaita Adwaita:dark Arc Arc-Dark Arc-Darker Arc-Lighter Greybird Greybird-dark Numix Breeze Breeze-Dark Yaru "
    "Yaru-dark Yaru-blue Blackbird Bluebird HighContrast Raleigh"
).split()
QT_STYLES = ("Fusion", "Fusion", "Breeze", "kvantum", "kvantum-dark", "Windows")
QT_COLOURS = ("airy", "darker", "dusk", "ia_ora", "sand", "simple", "waves", "")
ICONS = "Adwaita Papirus Papirus-Dark elementary-xfce Tango breeze breeze-dark Numix Yaru gnome".split()
FONTS = ("Noto Sans", "DejaVu Sans", "Cantarell", "Liberation Sans", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Sans")
BORDERS = (
    "Artwiz-boxed Bear2 Breeze-ob Clearlooks Clearlooks-3.4 Clearlooks-Olive Mikachu Natura Nightmare-01 Onyx "
    "Onyx-Citrus Orang Syscrash Arc Arc-Dark Greybird Numix"
).split()
BACKGROUNDS = (0x3A6EA5, 0x2E3440, 0x77216F, 0xD8D8D8, 0x1D6B4F, 0x101418, 0xC9A66B, 0x5A7D9A, 0xEFEFEF)
LAYOUTS = ("NLIMC", "LIMC", "CIML", "NLMC", "LC", "MICL")
"""Where openbox puts its buttons: icon, label, iconify, maximise, close."""


def _there(folder: str, names: tuple[str, ...] | list[str], inside: str = "") -> list[str]:
    return [name for name in names if (Path(folder) / name.partition(":")[0] / inside).exists()]


@dataclass(frozen=True)
class DesktopLook:
    """One of the ways a desktop can look."""

    gtk: str
    style: str
    colours: str
    icons: str
    font: str
    points: int
    borders: str
    layout: str
    background: int
    size: Size
    maximised: bool
    language: str

    @classmethod
    def draw(cls, random: Random) -> DesktopLook:
        maximised = random.random() < 0.55
        return cls(
            gtk=random.choice(_there("/usr/share/themes", GTK_THEMES, "gtk-3.0") or ["Adwaita"]),
            style=random.choice(QT_STYLES),
            colours=random.choice(QT_COLOURS),
            icons=random.choice(_there("/usr/share/icons", ICONS, "index.theme") or ["hicolor"]),
            font=random.choice(FONTS),
            points=random.choice((8, 9, 10, 10, 11, 12, 13)),
            borders=random.choice(_there("/usr/share/themes", BORDERS, "openbox-3") or ["Clearlooks"]),
            layout=random.choice(LAYOUTS),
            background=random.choice(BACKGROUNDS),
            size=random.choice(SIZES if maximised else (*SIZES[:3], *SMALL_SIZES)),
            maximised=maximised,
            language=random.choice(("en", "zh")),
        )

    @property
    def name(self) -> str:
        return f"{self.gtk}/{self.style}-{self.colours or 'own'}/{self.icons}/{self.font} {self.points}"

    @property
    def dark(self) -> bool:
        return bool(re.search("dark|black", self.gtk, re.IGNORECASE))

    @property
    def locale(self) -> str:
        return "zh_CN.UTF-8" if self.language == "zh" else "en_US.UTF-8"

    def environment(self) -> dict[str, str]:
        kvantum = self.style.startswith("kvantum")
        return {
            "GTK_THEME": self.gtk,
            "LANGUAGE": "zh_CN" if self.language == "zh" else "en",
            "LC_ALL": self.locale,
            "QT_QPA_PLATFORMTHEME": "qt5ct",
            "QT_STYLE_OVERRIDE": self.style if kvantum else "",
            "SAL_USE_VCLPLUGIN": "gtk3",
            "OSL_SOCKET_PATH": "/home/user",  # LibreOffice wants a place to write, and /tmp is none
        }

    def write(self, config: Path) -> None:
        """The settings of GTK 2 and 3, Qt and openbox. They are read when an application starts."""
        font = f"{self.font} {self.points}"
        plain = self.gtk.partition(":")[0]
        dark = int(self.dark)
        for version in ("3.0", "4.0"):
            file = config / f"gtk-{version}/settings.ini"
            words = f"gtk-theme-name={plain}\ngtk-icon-theme-name={self.icons}\ngtk-font-name={font}\n"
            words += f"gtk-application-prefer-dark-theme={dark}\n"
            file.write_text(file.read_text(encoding="utf-8") + words, encoding="utf-8")
        with (config / "gtkrc-2.0").open("a", encoding="utf-8") as old:
            old.write(f'gtk-theme-name="{plain}"\ngtk-icon-theme-name="{self.icons}"\ngtk-font-name="{font}"\n')
        self._write_qt(config)
        self._write_borders(config / "openbox.xml")

    def _write_qt(self, config: Path) -> None:
        colours = f"/usr/share/qt5ct/colors/{self.colours}.conf"
        own = bool(self.colours) and not self.style.startswith(("kvantum", "Breeze")) and Path(colours).is_file()
        font = f'"{self.font},{self.points},-1,5,50,0,0,0,0,0"'
        words = (
            f"[Appearance]\nstyle={self.style}\nicon_theme={self.icons}\ncustom_palette={str(own).lower()}\n"
            f"color_scheme_path={colours}\nstandard_dialogs=default\n[Fonts]\ngeneral={font}\nfixed={font}\n"
        )
        for name in ("qt5ct", "qt6ct", "Kvantum"):
            (config / name).mkdir(exist_ok=True)
        for name in ("qt5ct", "qt6ct"):
            (config / name / f"{name}.conf").write_text(words, encoding="utf-8")
        theme = "KvArcDark" if self.style.endswith("dark") else random_theme(self.icons)
        (config / "Kvantum/kvantum.kvconfig").write_text(f"[General]\ntheme={theme}\n", encoding="utf-8")

    def _write_borders(self, file: Path) -> None:
        text = file.read_text(encoding="utf-8")
        text = re.sub(r"(<theme>\s*<name>)[^<]*", rf"\g<1>{self.borders}", text)
        text = re.sub(r"<titleLayout>[^<]*", f"<titleLayout>{self.layout}", text)
        if self.maximised:
            rule = '<application type="normal"><maximized>yes</maximized></application>'
            text = re.sub(r"<applications>", f"<applications>{rule}", text, count=1)
        file.write_text(text, encoding="utf-8")


def random_theme(word: str) -> str:
    """One of Kvantum's light themes, the same for the same word."""
    names = ("KvArc", "KvAdapta", "KvAmbiance", "KvFlat", "KvGnomish", "KvYaru", "Glassy", "KvOxygen")
    return names[sum(map(ord, word)) % len(names)]


def installed(names: list[str]) -> list[str]:
    """Those of the applications that this machine has; all that are known, if none is named."""
    return [name for name in names or COMMANDS if shutil.which(COMMANDS[name].split()[0])]
