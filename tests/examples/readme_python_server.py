# An HTTP service in Python: POST /embed {"texts": ["...", ...]} is answered by {"embeddings": [[...], ...]}.
import signal
import sys
from typing import Annotated

import orjson
import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response
from pydantic import BaseModel, Field, ValidationError

import headway

MAX_BODY = 1 << 20
app = FastAPI()


class Texts(BaseModel):
    texts: Annotated[list[str], Field(max_length=1000)]


async def read_texts(request: Request) -> list[str]:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise HTTPException(413, "the body is larger than 1 MiB")
    try:
        return Texts.model_validate_json(body).texts
    except ValidationError as error:
        raise HTTPException(400, str(error)) from error


@app.get("/health")
def health() -> dict[str, str]:
    return {"status": "ok"}


# Not async: FastAPI calls it in a thread, and the embedder lets other threads run meanwhile.
@app.post("/embed")
def embed(texts: Annotated[list[str], Depends(read_texts)]) -> Response:
    # orjson writes float32 with as few digits as give back the same bits.
    reply = orjson.dumps({"embeddings": embedder.encode(texts)}, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(reply, media_type="application/json")


if __name__ == "__main__":
    embedder = headway.Embedder(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # where uvicorn leaves it, having answered what had come
    uvicorn.run(app, port=int(sys.argv[2]), log_level="warning")
