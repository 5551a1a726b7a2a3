"""Tournaments: made, started, watched, exported."""

from fastapi import APIRouter

router = APIRouter(tags=["tournaments"])
