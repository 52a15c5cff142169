"""Minimal documents of many formats, made by code."""

# ruff: noqa: E501
import io
import zipfile

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/"
ODF = "urn:oasis:names:tc:opendocument:xmlns:"
CORE = (
    f'<cp:coreProperties xmlns:cp="{PACKAGE}metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
    "<dc:title>Big cats</dc:title><dc:creator>Ada Lovelace</dc:creator><dc:language>en-GB</dc:language>"
    "<dc:description>About cats</dc:description><dcterms:created>2024-05-01T10:00:00Z</dcterms:created>"
    "<dcterms:modified>2024-06-01T10:00:00Z</dcterms:modified></cp:coreProperties>"
)


def zipped(entries, compression=zipfile.ZIP_DEFLATED):
    """Make a ZIP file; the entry `mimetype` is not compressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        for name, content in entries.items():
            file.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else None)
    return out.getvalue()


def relations(**targets):
    """Make a part with relations: identifier = (kind, target), external if the target is a URL."""
    rows = "".join(
        f'<Relationship Id="{name}" Type="{kind if "/" in kind else RELATIONS + kind}" Target="{target}"'
        + (' TargetMode="External"/>' if "://" in target else "/>")
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{PACKAGE}relationships">{rows}</Relationships>'


def office(program, main, entries):
    """Make an office file with its main part and the usual other parts."""
    kind = {
        "word": "wordprocessingml.document",
        "ppt": "presentationml.presentation",
        "xl": "spreadsheetml.sheet",
    }
    types = (
        f'<Types xmlns="{PACKAGE}content-types"><Default Extension="xlsx" ContentType="application/'
        'vnd.openxmlformats-officedocument.spreadsheetml.sheet"/><Override PartName="/x" ContentType="'
        f'application/vnd.openxmlformats-officedocument.{kind[program]}.main+xml"/></Types>'
    )
    core = (f"{PACKAGE}relationships/metadata/core-properties", "docProps/core.xml")
    package = {
        "[Content_Types].xml": types,
        "_rels/.rels": relations(rId1=("officeDocument", main), rId2=core),
        "docProps/core.xml": CORE,
    }
    return zipped(package | entries)


def paragraph(text, style="", more=""):
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:t>{text}</w:t></w:r>{more}</w:p>"


LINK = '<w:hyperlink r:id="rId9"><w:r><w:t>the </w:t></w:r><w:r><w:t>zoo</w:t></w:r></w:hyperlink>'
FIELD = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "http://old.example/a" </w:instrText>'
    '</w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>old</w:t></w:r>'
    '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
)


def docx(*paragraphs, **more):
    body = "".join(paragraphs) or "".join(
        (
            paragraph("Jaguars", "berschrift1"),
            paragraph("They live in ", more=LINK),
            paragraph("See ", more=FIELD),
            "<w:p><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/><w:delText>gone</w:delText></w:r></w:p>",
            "<w:tbl><w:tr><w:tc>" + paragraph("cell") + "</w:tc></w:tr></w:tbl>",
        )
    )
    styles = (
        f'<w:styles {W}><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-DE"/></w:rPr></w:rPrDefault>'
        '</w:docDefaults><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>'
    )
    entries = {
        "word/document.xml": f"<w:document {W} {R}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": styles,
        "word/footnotes.xml": f"<w:footnotes {W}><w:footnote>{paragraph('A note')}</w:footnote></w:footnotes>",
        "word/header1.xml": f"<w:hdr {W}>{paragraph('Zoo news')}</w:hdr>",
        "word/_rels/document.xml.rels": relations(
            rId1=("styles", "styles.xml"),
            rId2=("footnotes", "footnotes.xml"),
            rId3=("header", "/word/header1.xml"),
            rId9=("hyperlink", "http://zoo.example/"),
        ),
    }
    return office("word", "word/document.xml", entries | more)


def slide(title, body, more=""):
    return (
        f"<p:sld {P} {A} {R}><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type='title'/></p:nvPr></p:nvSpPr>"
        f"<p:txBody><a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:txBody></p:sp><p:sp><p:txBody><a:p><a:r>"
        f"<a:rPr><a:hlinkClick r:id='rId5'/></a:rPr><a:t>{body}</a:t></a:r></a:p></p:txBody></p:sp>{more}"
        "<p:sp><p:nvSpPr><p:nvPr><p:ph type='sldNum'/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:fld><a:t>7</a:t>"
        "</a:fld></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    )


def pptx():
    entries = {
        "ppt/presentation.xml": f"<p:presentation {P} {R}><p:sldIdLst><p:sldId id='256' r:id='rId8'/>"
        "<p:sldId id='257' r:id='rId7'/></p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            rId7=("slide", "slides/slide1.xml"), rId8=("slide", "slides/slide2.xml")
        ),
        "ppt/slides/slide1.xml": slide("Second", "shown last"),
        "ppt/slides/slide2.xml": slide("First", "shown first"),
        "ppt/slides/_rels/slide2.xml.rels": relations(
            rId5=("hyperlink", "http://zoo.example/"), rId6=("notesSlide", "../notesSlides/notesSlide1.xml")
        ),
        "ppt/notesSlides/notesSlide1.xml": slide("", "a remark"),
    }
    return office("ppt", "ppt/presentation.xml", entries)


def xlsx(rows=""):
    rows = rows or (
        '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>99</v></c></row>'
        '<row><c t="inlineStr"><is><t>Jaguar</t></is></c><c><v>3.5</v></c><c s="1"><v>45413</v></c>'
        '<c t="e"><v>#REF!</v></c></row>'
    )
    entries = {
        "xl/workbook.xml": f'<workbook {S} {R}><sheets><sheet name="Animals" sheetId="1" r:id="rId1"/>'
        '<sheet name="Secret" state="hidden" sheetId="2" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            rId1=("worksheet", "worksheets/sheet1.xml"),
            rId2=("sharedStrings", "sharedStrings.xml"),
            rId3=("styles", "styles.xml"),
        ),
        "xl/sharedStrings.xml": f"<sst {S}><si><t>Name</t></si><si><r><t>Wei</t></r><r><t>ght</t></r>"
        "<rPh><t>hint</t></rPh></si></sst>",
        "xl/styles.xml": f'<styleSheet {S}><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yy"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>',
        "xl/worksheets/sheet1.xml": f"<worksheet {S} {R}><sheetData>{rows}</sheetData>"
        '<hyperlinks><hyperlink ref="A1" r:id="rId1" display="zoo"/></hyperlinks></worksheet>',
        "xl/worksheets/_rels/sheet1.xml.rels": relations(rId1=("hyperlink", "http://zoo.example/")),
    }
    return office("xl", "xl/workbook.xml", entries)


def opendocument(kind, content, **more):
    spaces = " ".join(
        f'xmlns:{name}="{ODF}{name}:1.0"'
        for name in ("office", "text", "table", "draw", "presentation", "meta", "style")
    )
    spaces += ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
    meta = (
        f"<office:document-meta {spaces}><office:meta><dc:title>Big cats</dc:title>"
        "<meta:initial-creator>Ada Lovelace</meta:initial-creator><dc:creator>Ben</dc:creator>"
        "<meta:creation-date>2024-05-01T10:00:00</meta:creation-date><dc:language>en-GB</dc:language>"
        "</office:meta></office:document-meta>"
    )
    entries = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": f"<office:document-content {spaces}><office:body>{content}</office:body></office:document-content>",
        "meta.xml": meta,
        "META-INF/manifest.xml": "<manifest/>",
    }
    return zipped(entries | more)


def odt():
    return opendocument(
        "text",
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        '<text:h text:outline-level="1">Jaguars</text:h><text:p>They<text:s/>live in '
        '<text:a xlink:href="http://zoo.example/">the <text:span>zoo</text:span></text:a><office:annotation>'
        "<text:p>remark</text:p></office:annotation></text:p>",
    )


def ods():
    return opendocument(
        "spreadsheet",
        '<table:table table:name="Animals"><table:table-row><table:table-cell><text:p>Jaguar</text:p>'
        '</table:table-cell><table:table-cell table:number-columns-repeated="1000000"><text:p>3.5</text:p>'
        "</table:table-cell></table:table-row></table:table>",
    )


def odp():
    return opendocument(
        "presentation",
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>First</text:p></draw:text-box>'
        "</draw:frame><draw:frame><draw:text-box><text:p>shown first</text:p></draw:text-box></draw:frame></draw:page>",
    )


def epub(**more):
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<dc:title>Big cats</dc:title><dc:creator>Ada Lovelace</dc:creator><dc:creator>Ben</dc:creator>"
        "<dc:language>en</dc:language><dc:date>2024-05-01</dc:date></metadata><manifest>"
        '<item id="b" href="two.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="a" href="text/one%201.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="c"/></spine></package>'
    )
    chapter = (
        "<html><head><title>x</title></head><body><h1>{}</h1><p>{} <a href='http://zoo.example/'>zoo</a>"
    )
    chapter += "<a href='two.xhtml'>next</a></p></body></html>"
    entries = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        "OEBPS/book.opf": package,
        "OEBPS/text/one 1.xhtml": chapter.format("Jaguars", "They live far away."),
        "OEBPS/two.xhtml": chapter.format("Lions", "They sleep."),
    }
    return zipped(entries | more)


RTF = rb"""{\rtf1\ansi\ansicpg1252\uc1\deff0\deflang2057{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset204 Arial Cyr;}}
{\colortbl;\red0\green0\blue0;}{\stylesheet{\s0 Normal;}{\s1\b heading 1;}}
{\info{\title Big cats}{\author Ada Lovelace}{\creatim\yr2024\mo5\dy1\hr10}}
{\header Zoo news\par}{\*\generator Word;}
\pard\s1 Jaguars\par
\pard They live in {\field{\*\fldinst{HYPERLINK "http://zoo.example/"}}{\fldrslt{\ul the zoo}}} caf\'e9 \u8364?.\par
{\f1 \'ea\'ee\'f2} \u-10179?\u-8704?\line end\tab{\v hidden}{\pict\wmetafile8 0102}\par
}"""

FILES = {
    "docx": docx,
    "pptx": pptx,
    "xlsx": xlsx,
    "odt": odt,
    "ods": ods,
    "odp": odp,
    "epub": epub,
    "rtf": lambda: RTF,
}
