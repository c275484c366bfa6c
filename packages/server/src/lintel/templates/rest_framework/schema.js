{# Loaded after a client library that offers window.coreapi; leaves the schema in window.schema. #}(function () {
  "use strict";
  var codec = new window.coreapi.codecs.CoreJSONCodec();
  window.schema = codec.decode(window.atob("{{ schema }}"));
})();
