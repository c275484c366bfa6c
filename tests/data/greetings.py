
# Text that breaks careless software: scripts, combining marks, emoji, tabs, trailing blanks   
GREETINGS = {
	"el": "Καλημέρα κόσμε",
	"ru": "Доброе утро, мир",
	"zh": "你好，世界",
	"ar": "صباح الخير",
	"hi": "नमस्ते दुनिया",
	"combining": "e\u0301 is é, and so is é",
	"emoji": "👩🏽‍💻 → 🏳️‍🌈",
	"quotes": '"\\' + "\'",
	"html": "<script>alert('x')</script> &amp;",
	"separators": "a b c",
}

