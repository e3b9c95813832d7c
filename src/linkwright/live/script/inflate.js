// Deflate (RFC 1951), unpacked here and at once: a browser that has nothing else still shows the recorded motion.

function inflated(text) {
  // four bytes as five letters, each one of 85 (`linkwright.live.bundle`)
  const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%.()*+-;,=:?@^_`{|}~", digits = new Uint8Array(128), source = new Uint8Array(Math.floor((4 * text.length) / 5));
  for (let k = 0; k < 85; k++) digits[letters.charCodeAt(k)] = k;
  for (let k = 0, byte = 0; k < text.length; k += 5) {
    let x = 0;
    for (let j = k; j < k + 5; j++) x = 85 * x + (j < text.length ? digits[text.charCodeAt(j)] : 84);
    for (let j = 24; j >= 0 && byte < source.length; j -= 8) source[byte++] = x >>> j;
  }
  const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
  const extra = (k, per) => (k < 2 * per ? 0 : Math.floor(k / per) - 1), distance = (k) => (k < 4 ? k + 1 : ((2 + (k & 1)) << extra(k, 2)) + 1);
  let at = 0, held = 0, bits = 0, out = new Uint8Array(8 * source.length), end = 0;
  const take = (count) => {
    while (bits < count) { held |= source[at++] << bits; bits += 8; }
    const value = held & ((1 << count) - 1);
    held >>>= count;
    bits -= count;
    return value;
  };
  // By the next 15 bits: a symbol and the length of its code.
  const book = (lengths) => {
    const table = new Uint16Array(1 << 15), code = new Uint16Array(16);
    for (let n = 1, first = 0; n < 16; n++) { code[n] = first; first = (first + lengths.filter((x) => x === n).length) << 1; }
    lengths.forEach((n, k) => {
      if (!n) return;
      let turned = 0;
      for (let i = 0, own = code[n]++; i < n; i++) turned |= ((own >> i) & 1) << (n - 1 - i);
      for (; turned < table.length; turned += 1 << n) table[turned] = (k << 4) | n;
    });
    return table;
  };
  const next = (table) => {
    while (bits < 15) { held |= source[at++] << bits; bits += 8; }
    const found = table[held & 32767], n = found & 15;
    if (!n) throw new Error("this page is damaged");
    held >>>= n;
    bits -= n;
    return found >> 4;
  };
  const put = (byte) => {
    if (end === out.length) { const more = new Uint8Array(2 * end); more.set(out); out = more; }
    out[end++] = byte;
  };
  const usual = [book([...Array(288).keys()].map((k) => (k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8))), book(new Array(30).fill(5))];
  const told = () => {  // books that stand before their block
    const count = take(5) + 257, far = take(5) + 1, order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15], small = new Array(19).fill(0), lengths = [];
    for (let k = 0, n = take(4) + 4; k < n; k++) small[order[k]] = take(3);
    for (const own = book(small); lengths.length < count + far;) {
      const k = next(own), times = k < 16 ? 1 : k === 16 ? 3 + take(2) : k === 17 ? 3 + take(3) : 11 + take(7), value = k < 16 ? k : k === 16 ? lengths.at(-1) : 0;
      for (let i = 0; i < times; i++) lengths.push(value);
    }
    return [book(lengths.slice(0, count)), book(lengths.slice(count))];
  };
  for (let last = 0; !last;) {
    last = take(1);
    const kind = take(2);
    if (kind === 0) {
      take(bits & 7);
      const count = take(16);
      take(16);
      for (let k = 0; k < count; k++) put(take(8));
      continue;
    }
    const [letters, places] = kind === 1 ? usual : told();
    for (let symbol; (symbol = next(letters)) !== 256;) {
      if (symbol < 256) { put(symbol); continue; }
      const k = symbol - 257, length = LENGTHS[k] + take(k === 28 ? 0 : extra(k, 4)), j = next(places), back = distance(j) + take(extra(j, 2));
      for (let i = 0; i < length; i++) put(out[end - back]);
    }
  }
  return out.subarray(0, end);
}
