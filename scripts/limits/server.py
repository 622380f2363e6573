"""An API with the rate limits and the header fields of Flask-Limiter.

/fixed/NAME  40 requests in 2 seconds, in fixed windows; a quota of its own for each NAME
/ready       not limited
"""

from flask import Flask, request
from flask_limiter import Limiter

app = Flask(__name__)
limiter = Limiter(
    lambda: request.path,
    app=app,
    headers_enabled=True,
    storage_uri="memory://",
    strategy="fixed-window",
)


@app.get("/fixed/<name>")
@limiter.limit("40 per 2 second")
def fixed(name):
    return name


@app.get("/ready")
@limiter.exempt
def ready():
    return "ready"
