{# Loaded after a client library that defines window.coreapi; sets window.schema. #}(function () {
  "use strict";
  var codec = new window.coreapi.codecs.CoreJSONCodec();
  window.schema = codec.decode(window.atob("{{ schema }}"));
})();
