// The CSRF token, for scripts of the page: window.drf.csrfHeaderName is the
// header to send window.drf.csrfToken in. jQuery's requests to this site include it.
(() => {
  "use strict";

  const take = () => {
    const { csrfHeader, csrfCookie, csrfToken } = document.body?.dataset || {};
    window.drf = { csrfHeaderName: "X-CSRFTOKEN", csrfCookieName: "csrftoken", csrfToken: "", ...window.drf };
    if (csrfHeader) window.drf.csrfHeaderName = csrfHeader;
    if (csrfCookie) window.drf.csrfCookieName = csrfCookie;
    if (csrfToken && csrfToken !== "NOTPROVIDED") window.drf.csrfToken = csrfToken;
  };

  take();
  if (!document.body) document.addEventListener("DOMContentLoaded", take);

  const SAFE = /^(GET|HEAD|OPTIONS|TRACE)$/i;
  window.jQuery?.ajaxPrefilter?.((options, original, request) => {
    const { csrfHeaderName, csrfToken } = window.drf;
    if (csrfToken && !options.crossDomain && !SAFE.test(options.type || "GET")) {
      request.setRequestHeader(csrfHeaderName, csrfToken);
    }
  });
})();
