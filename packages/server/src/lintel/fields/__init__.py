from lintel.fields.base import *
from lintel.fields.base import empty
from lintel.fields.text import *
from lintel.fields.numbers import *
from lintel.fields.choices import *
