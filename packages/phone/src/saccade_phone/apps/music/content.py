"""Draw the music app's catalogue (invented artists, albums, songs), and the owner's playlists and likes."""

from __future__ import annotations

from typing import Any

from saccade_phone.data_files import ByLanguage, Entry, Words, table
from saccade_phone.seeded_random import Draw


class AlbumWords(Entry):
    title: str
    songs: list[str]


class Album(ByLanguage[AlbumWords]):
    year: int
    emoji: str


class ArtistWords(Entry):
    name: str
    genre: str
    about: str


class Artist(ByLanguage[ArtistWords]):
    emoji: str
    albums: list[Album]


ARTISTS = table("music", "artists", list[Artist])


MIXES = table("music", "mixes", list[tuple[str, str, str]])
PLAYLISTS = table("music", "playlists", list[Words])
TRENDING = table("music", "trending", list[Words])
LINES = table("music", "lines", list[Words])


def catalogue(draw: Draw) -> dict[str, Any]:
    """The artists of this phone's catalogue, with their albums and songs.

    Songs are numbered at random: playlists are kept in the order of these numbers, which then looks like nobody's.
    """
    chosen = draw.sample(ARTISTS, 9)
    numbers = draw.shuffled(
        range(1, 1 + sum(len(album.of(draw.language).songs) for artist in chosen for album in artist.albums))
    )
    artists: dict[str, Any] = {}
    albums: dict[str, Any] = {}
    songs: dict[str, Any] = {}
    for at, artist in enumerate(chosen, 1):
        words = artist.of(draw.language)
        artists[f"ar{at}"] = {
            "name": words.name,
            "genre": words.genre,
            "emoji": artist.emoji,
            "about": words.about,
            "fans": draw.integer(12, 980),
        }
        for album in artist.albums:
            where = f"al{len(albums) + 1}"
            title, titles = album.of(draw.language).title, album.of(draw.language).songs
            albums[where] = {"title": title, "artist": f"ar{at}", "year": album.year, "emoji": album.emoji}
            for track, title in enumerate(titles, 1):
                song = {"title": title, "artist": f"ar{at}", "album": where, "track": track}
                songs[f"s{numbers.pop():02}"] = {**song, "seconds": draw.integer(125, 330)}
    return {"artists": artists, "albums": albums, "songs": songs}


def collection(draw: Draw, songs: list[str]) -> dict[str, Any]:
    """The owner's playlists, liked songs, queue and recent songs."""
    playlists = {
        f"pl{at}": {"name": draw.t(*names), "songs": sorted(draw.sample(songs, draw.integer(4, 13)))}
        for at, names in enumerate(draw.sample(PLAYLISTS, 6), 1)
    }
    mixes = {
        f"mix{at}": {"name": draw.t(en, zh), "emoji": emoji, "songs": draw.sample(songs, 12)}
        for at, (en, zh, emoji) in enumerate(draw.sample(MIXES, 6), 1)
    }
    chart = draw.sample(songs, 25)
    return {
        "playlists": playlists,
        "mixes": mixes,
        "chart": chart,
        "liked": {song: {"song": song} for song in draw.sample(songs, draw.integer(14, 20))},
        "queue": chart[:12],
        "recent": draw.sample(songs, 6),
        "history": [draw.t(*words) for words in draw.sample(TRENDING, 3)],
        "offset": 0,
    }
