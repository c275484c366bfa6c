"""Fields whose value is an uploaded file."""

from typing import Any

from django.forms import ImageField as DjangoImageField
from django.utils.translation import gettext_lazy as _

from lintel.fields.base import Field
from lintel.fields.describing import Schema, ViewSchema
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.settings import SettingDefault
from lintel_document import schemas as coreschema

#: In the state of a serializer: one of its fields, at any depth, has accepted a file.
_TAKES_FILES = "_lintel_takes_files"


def takes_files(serializer: object) -> bool:
    return _TAKES_FILES in serializer.__dict__


class FileField(Field):
    """An uploaded file.

    ``max_length``: of the file name. ``allow_empty_file``: files of size zero are valid.
    ``use_url``: write the URL, else the name; default the setting UPLOADED_FILES_USE_URL.
    """

    metadata_type = "file upload"
    form_style = {"base_template": "input.html", "input_type": "file"}
    form_is_exact = False
    native_type = coreschema.String(is_file=True)
    schema_format = "binary"
    column_types = ["FileField"]

    default_error_messages = {
        "required": _("No file was submitted."),
        "invalid": _("The submitted data was not a file. Check the encoding type on the form."),
        "no_name": _("No filename could be determined."),
        "empty": _("The submitted file is empty."),
        "max_length": _(
            "Ensure this filename has at most {max_length} characters (it has {length})."
        ),
    }
    use_url: Any = SettingDefault("UPLOADED_FILES_USE_URL")

    def __init__(self, **kwargs: Any) -> None:
        self.max_length: int | None = kwargs.pop("max_length", None)
        self.allow_empty_file: bool = kwargs.pop("allow_empty_file", False)
        if "use_url" in kwargs:
            self.use_url = kwargs.pop("use_url")
        super().__init__(**kwargs)

    @inlinable("file", "max_length", "allow_empty_file")
    def to_internal_value(self, data: Primitive) -> Native:
        try:
            name, size = data.name, data.size
        except AttributeError:
            self.fail("invalid")
        if not name:
            self.fail("no_name")
        if not self.allow_empty_file and not size:
            self.fail("empty")
        if self.max_length and len(name) > self.max_length:
            self.fail("max_length", max_length=self.max_length, length=len(name))
        self.root.__dict__[_TAKES_FILES] = True
        return data

    @inlinable("file", "use_url")
    def to_representation(self, value: Native) -> Primitive:
        """The URL, absolute if the context has a request, or the name; None without a file."""
        if not value:
            return None
        if not self.use_url:
            return value.name
        url = getattr(value, "url", None)
        request = self.context.get("request")
        return url if url is None or request is None else request.build_absolute_uri(url)

    def describe_values(self, schema: ViewSchema) -> Schema:
        if not schema.document_form.receives:
            return {"type": "string", "format": "binary"}
        described: Schema = {"type": "string"}
        if self.use_url:
            described["format"] = "uri"
        # A row without a file has no URL.
        return described if self.required else {**described, "nullable": True}


class ImageField(FileField):
    """An uploaded image; needs Pillow, which checks it as in Django's forms."""

    metadata_type = "image upload"
    column_types = ["ImageField"]

    default_error_messages = {
        "invalid_image": _(
            "Upload a valid image. The file you uploaded was either not an image or a corrupted "
            "image."
        ),
    }

    def __init__(self, **kwargs: Any) -> None:
        self._DjangoImageField: Any = kwargs.pop("_DjangoImageField", DjangoImageField)
        super().__init__(**kwargs)

    @inlinable("image", "max_length", "allow_empty_file")
    def to_internal_value(self, data: Primitive) -> Native:
        """Add ``image`` (of Pillow) and ``content_type``. Raises Django's ValidationError."""
        file = super().to_internal_value(data)
        if not hasattr(file, "read") and not hasattr(file, "temporary_file_path"):
            self.fail("invalid")
        form_field = self._DjangoImageField()
        form_field.error_messages = self.error_messages
        return form_field.clean(file)
