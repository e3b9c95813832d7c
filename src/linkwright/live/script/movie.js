// The motion as a film: GIF, encoded here, for every program; WebM where the browser records it.

const FILM = { width: 640, pace: 20, most: 160 };  // pixels, pictures a second, pictures at all

// The pictures of one run at the speed of the clock, each drawn on a canvas; `shown(canvas, context, k)` is awaited for each.
async function filmed(told, shown) {
  const time = player.time, seconds = Math.min(Math.max((motion.end - motion.start) / player.speed, 0.5), 30);
  const count = Math.min(Math.max(Math.round(seconds * FILM.pace), 2), FILM.most), view = byId("view"), size = Math.min(1, FILM.width / view.clientWidth);
  const canvas = html("canvas", { width: Math.round(view.clientWidth * size), height: Math.round(view.clientHeight * size) }), context = canvas.getContext("2d", { willReadFrequently: true });
  player.pause();
  try {
    for (let k = 0; k < count; k++) {
      told(`picture ${k + 1} of ${count}`);
      const share = k / count;
      player.seek(motion.start + (motion.end - motion.start) * (motion.sure ? 1 - Math.abs(1 - 2 * share) : share));
      await photographed(canvas, context);
      await shown(canvas, context, k, seconds / count);
    }
  } finally {
    player.seek(time);
  }
}
async function photographed(canvas, context) {
  context.fillStyle = getComputedStyle(byId("stage")).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  if (stage.orbit) {
    stage.render();
    context.drawImage(stage.renderer.domElement, 0, 0, canvas.width, canvas.height);
  }
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture())}`;
  await image.decode();
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
}

async function recorded(told) {
  let recorder = null, ended = null;
  const parts = [];
  await filmed(told, async (canvas, context, k, pause) => {
    if (!recorder) {
      recorder = new MediaRecorder(canvas.captureStream(), { mimeType: "video/webm", videoBitsPerSecond: 4e6 });
      recorder.ondataavailable = (event) => parts.push(event.data);
      ended = new Promise((done) => { recorder.onstop = done; });
      recorder.start();
    }
    await new Promise((done) => setTimeout(done, 1000 * pause));
  });
  recorder.stop();
  await ended;
  return new Blob(parts, { type: "video/webm" });
}

async function animated(told) {
  const frames = [];
  let width = 0, height = 0, pause = 0.05;
  await filmed(told, async (canvas, context, k, seconds) => {
    ({ width, height } = canvas);
    pause = seconds;
    frames.push(context.getImageData(0, 0, width, height).data);
    await new Promise((done) => setTimeout(done));  // the page stays awake
  });
  return new Blob([gif(frames, width, height, pause)], { type: "image/gif" });
}

// -- GIF ---------------------------------------------------------------------------------------------------------------------------
// Colours in 15 bits: the 255 most frequent are the palette, each other is the nearest of them.
function gif(frames, width, height, pause) {
  const code = (d, k) => ((d[k] >> 3) << 10) | ((d[k + 1] >> 3) << 5) | (d[k + 2] >> 3), counts = new Uint32Array(32768);
  for (const d of frames) for (let k = 0; k < d.length; k += 4) counts[code(d, k)]++;
  const used = [...counts.keys()].filter((c) => counts[c]).sort((a, b) => counts[b] - counts[a]), palette = used.slice(0, 255), place = new Uint8Array(32768);
  const parts = (c) => [(c >> 10) & 31, (c >> 5) & 31, c & 31];
  used.forEach((c, rank) => {
    if (rank < 255) { place[c] = rank; return; }
    const [r, g, b] = parts(c);
    let best = Infinity;
    palette.forEach((p, k) => { const [x, y, z] = parts(p), d = (r - x) ** 2 + (g - y) ** 2 + (b - z) ** 2; if (d < best) { best = d; place[c] = k; } });
  });
  const out = [], word = (x) => out.push(x & 255, x >> 8);
  out.push(...[..."GIF89a"].map((c) => c.charCodeAt(0)));
  word(width);
  word(height);
  out.push(0xf7, 0, 0);
  for (let k = 0; k < 256; k++) out.push(...parts(palette[k] ?? 0).map((x) => (x << 3) | (x >> 2)));
  out.push(0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((c) => c.charCodeAt(0)), 3, 1, 0, 0, 0);
  const chunks = [Uint8Array.from(out)];
  for (const d of frames) {
    const pixels = new Uint8Array(width * height), delay = Math.max(2, Math.round(100 * pause));
    for (let k = 0; k < pixels.length; k++) pixels[k] = place[code(d, 4 * k)];
    chunks.push(Uint8Array.of(0x21, 0xf9, 4, 4, delay & 255, delay >> 8, 0, 0, 0x2c, 0, 0, 0, 0, width & 255, width >> 8, height & 255, height >> 8, 0, 8), squeezed(pixels));
  }
  chunks.push(Uint8Array.of(0x3b));
  return new Blob(chunks);
}
// LZW with codes of 9 to 12 bits, in blocks of 255 bytes.
function squeezed(pixels) {
  const bytes = [];
  let bits = 0, held = 0, size = 9, next = 258, table = new Map(), prefix = pixels[0];
  const put = (code) => { held |= code << bits; bits += size; while (bits >= 8) { bytes.push(held & 255); held >>>= 8; bits -= 8; } };
  put(256);
  for (let k = 1; k < pixels.length; k++) {
    const key = (prefix << 8) | pixels[k], known = table.get(key);
    if (known !== undefined) { prefix = known; continue; }
    put(prefix);
    if (next === 4096) { put(256); table = new Map(); size = 9; next = 258; } else { if (next === 1 << size) size++; table.set(key, next++); }
    prefix = pixels[k];
  }
  put(prefix);
  put(257);
  if (bits) bytes.push(held & 255);
  const out = [];
  for (let k = 0; k < bytes.length; k += 255) out.push(Math.min(255, bytes.length - k), ...bytes.slice(k, k + 255));
  return Uint8Array.from([...out, 0]);
}
