"""TREC's files: documents, topics, judgements and runs, as they come."""

from __future__ import annotations

import gzip
import random

import pytest
import pytrec_eval

from gossamer.evaluate.judged_collection import (
    Judgement,
    NamedParts,
    parts_in,
    read_collection,
    read_documents,
    read_parts,
    read_topics,
)
from gossamer.evaluate.measures import Measurer
from gossamer.evaluate.run import evaluate
from gossamer.evaluate.runs import read_run, write_run
from gossamer.model import GossamerError, UsageError

DOCS = """<DOC>
<DOCNO> FT-1 </DOCNO>
<HEADLINE>
FT  14 MAY 91 / Jaguars &amp; cats
</HEADLINE>
<TEXT>
<P>The jaguar swims.</P> 3 < 4
<!-- a remark --></TEXT>
</DOC>
<doc><docno>FT-2</docno><text>Caf\u00e9 cars</text></doc>
"""
TOPICS = """
<top>
<num> Number: 051
<title> Topic:  Jaguar cats

<desc> Description:
Which cats swim?
<narr> Narrative:
Cars are not relevant.
</top>
<top>
<num>Number: 52</num>
<title></title>
<desc>Description: coffee &amp; cars</desc>
</top>
"""


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "ft"
    (made / "corpus.trec" / "1991").mkdir(parents=True)
    (made / "corpus.trec" / "1991" / "a.gz").write_bytes(gzip.compress(DOCS.encode("latin-1")))
    (made / "topics.txt").write_text(TOPICS, encoding="utf-8")
    (made / "qrels.txt").write_text("51 0 FT-1 2\n51 0 FT-2 -2\n52 0 FT-2 1\n")
    return made


def test_documents(folder):
    found = list(read_documents(folder / "corpus.trec", "en"))
    assert [(one.id, one.title, one.text) for one in found] == [
        ("FT-1", "FT 14 MAY 91 / Jaguars & cats", "The jaguar swims. 3 < 4"),
        ("FT-2", "", "Caf\u00e9 cars"),
    ]


def test_a_document_without_a_name_is_said(tmp_path):
    (tmp_path / "d").write_text("<DOC><DOCNO>1</DOCNO></DOC><DOC><TEXT>x</TEXT></DOC>")
    with pytest.raises(GossamerError, match="d, document 2: it has no <DOCNO>"):
        list(read_documents(tmp_path / "d", "en"))


def test_topics_in_their_three_forms(folder, tmp_path):
    expected = {"051": "Jaguar cats", "52": "coffee & cars"}
    assert read_topics(folder / "topics.txt") == expected
    columns = tmp_path / "queries.tsv"
    columns.write_text("qid\tquery\n051\tJaguar cats\n52\tcoffee & cars\n")
    assert read_topics(columns) == expected
    rows = tmp_path / "rows"
    rows.write_text('{"_id": "051", "text": "Jaguar cats"}\n{"_id": 52, "text": "coffee & cars"}\n')
    assert read_topics(rows) == expected


@pytest.mark.parametrize(
    ("content", "said"),
    [("<top><title>x</top>", "topic 1: it has no <num>"), ("1 no tab\n", "line 1: expected 2 columns")],
)
def test_mistakes_in_topics(tmp_path, content, said):
    (tmp_path / "t").write_text(content)
    with pytest.raises(GossamerError, match=said):
        read_topics(tmp_path / "t")


def test_a_folder_of_trec_files_from_documents_to_measures(folder):
    collection = read_collection(folder)
    assert collection.queries == {"51": "Jaguar cats", "52": "coffee & cars"}
    found = evaluate(collection)
    assert found.measures["P@1"] == 1.0
    assert list(found.per_query) == ["51", "52"]


def test_parts_named_by_themselves(folder):
    named = NamedParts(folder / "corpus.trec", folder / "topics.txt", folder / "qrels.txt")
    assert read_parts(named.alone()) == read_collection(folder)
    (folder / "corpus.trec").rename(folder / "elsewhere")
    with pytest.raises(UsageError, match=r"it has no corpus\.jsonl, nor corpus\.trec"):
        parts_in(folder)
    assert parts_in(folder, NamedParts(corpus=folder / "elsewhere")).corpus == folder / "elsewhere"
    only = read_parts(NamedParts(qrels=folder / "qrels.txt", run=folder / "x.run").alone())
    assert only.queries == {"51": "", "52": ""}
    with pytest.raises(UsageError, match="name a folder with a test collection, or --topics and --qrels"):
        NamedParts(qrels=folder / "qrels.txt").alone()
    with pytest.raises(UsageError, match=r"nowhere.* does not exist"):
        read_parts(NamedParts(topics=folder / "topics.txt", qrels=folder.parent.with_name("nowhere")).alone())


def test_a_run_is_ranked_by_score_and_ties_as_trec_eval_has_them(tmp_path):
    """Against pytrec_eval on scores with many ties: the same order gives the same measures."""
    chance = random.Random(1)
    lines, run, qrels, judged = [], {}, {}, []
    for query in map(str, range(20)):
        documents = [f"d{n}" for n in chance.sample(range(60), 30)]
        run[query] = {document: float(chance.randint(0, 4)) for document in documents}
        qrels[query] = {f"d{n}": chance.randint(0, 2) for n in range(0, 60, 3)}
        lines += [f"{query} Q0 {document} 1 {score} x\n" for document, score in run[query].items()]
        judged += [Judgement(query, document, score) for document, score in qrels[query].items()]
    (tmp_path / "r.run").write_text("".join(lines))
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.10"}).evaluate(run)
    for query, ours in Measurer(judged).each(read_run(tmp_path / "r.run")).items():
        assert ours["MAP"] == pytest.approx(theirs[query]["map"])
        assert ours["nDCG@10"] == pytest.approx(theirs[query]["ndcg_cut_10"])


def test_what_is_written_is_read_back(tmp_path):
    rankings = {"1": ["a", "c", "b"], "2": ["z"]}
    write_run(tmp_path / "r.run", rankings)
    assert (tmp_path / "r.run").read_text().splitlines()[:2] == ["1 Q0 a 1 3 gossamer", "1 Q0 c 2 2 gossamer"]
    assert read_run(tmp_path / "r.run") == rankings
    with pytest.raises(GossamerError, match="names in a run must not have white space"):
        write_run(tmp_path / "s.run", {"1": ["a b"]})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 Q0 a 1 2.0", "line 2: a run has 6 columns"),
        ("1 Q0 a 1 high x", "line 2: the score 'high' is not a number"),
        ("1 Q0 a 1 nan x", "line 2: the score 'nan' is not a number"),
        ("1 Q0 b 2 1.0 x", "line 2: the query '1' has the document 'b' twice"),
    ],
)
def test_mistakes_in_runs(tmp_path, line, said):
    (tmp_path / "r").write_text(f"1 Q0 b 1 2.0 x\n{line}\n")
    with pytest.raises(GossamerError, match=said):
        read_run(tmp_path / "r")
