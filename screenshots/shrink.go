package screenshots

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
)

// paletteSize is the most colours a small picture has.
const paletteSize = 256

// SumLine is the line of png.sums that says of which screen a PNG was made.
func SumLine(name string, screen, picture []byte) string {
	return fmt.Sprintf("%x %x %s.png\n", sha256.Sum256(screen), sha256.Sum256(picture), name)
}

// Shrink makes a PNG smaller: by a whole factor in width and height, and to at
// most 256 colours, which a terminal's picture hardly has more of.
func Shrink(data []byte, factor int) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read picture: %w", err)
	}
	width, height := from.Bounds().Dx()/factor, from.Bounds().Dy()/factor
	pixels := make([]color.RGBA, 0, width*height)
	counts := map[color.RGBA]int{}
	for y := range height {
		for x := range width {
			c := mean(from, image.Rect(x*factor, y*factor, (x+1)*factor, (y+1)*factor).Add(from.Bounds().Min))
			pixels = append(pixels, c)
			counts[c]++
		}
	}
	palette := commonest(counts)
	small := image.NewPaletted(image.Rect(0, 0, width, height), palette)
	nearest := map[color.RGBA]uint8{}
	for at, c := range pixels {
		index, known := nearest[c]
		if !known {
			index = uint8(palette.Index(c)) //nolint:gosec // a palette has at most 256 colours
			nearest[c] = index
		}
		small.Pix[at] = index
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
		return nil, fmt.Errorf("write picture: %w", err)
	}
	return out.Bytes(), nil
}

// mean is the middle colour of an area, with the lowest bits dropped.
func mean(from image.Image, area image.Rectangle) color.RGBA {
	var red, green, blue, alpha, n uint32
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			r, g, b, a := from.At(x, y).RGBA()
			red, green, blue, alpha, n = red+r>>8, green+g>>8, blue+b>>8, alpha+a>>8, n+1
		}
	}
	part := func(sum uint32) uint8 { return uint8(sum/n) &^ 3 } //nolint:gosec // a mean of bytes
	return color.RGBA{R: part(red), G: part(green), B: part(blue), A: part(alpha) | 3}
}

func commonest(counts map[color.RGBA]int) color.Palette {
	order := func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A))
	}
	var palette color.Palette
	for _, c := range slices.SortedFunc(maps.Keys(counts), order) {
		if len(palette) == paletteSize {
			break
		}
		palette = append(palette, c)
	}
	return palette
}
