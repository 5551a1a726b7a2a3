"""Matches, live and past."""

from fastapi import APIRouter

router = APIRouter(tags=["matches"])
